/** The parts of the service, as its users know them. */
export const COMPONENTS = {
  gateway: 'Gateway',
  nodes: 'Nodes of the network',
  work: 'Proof of work',
  webhooks: 'Webhooks',
  prices: 'Prices',
  mail: 'Mail',
} as const

export type Component = keyof typeof COMPONENTS

export const COMPONENT_NAMES = Object.keys(COMPONENTS) as Component[]

/** The states of a component, the worst last. */
export const STATES = ['up', 'degraded', 'down'] as const

export type State = (typeof STATES)[number]
