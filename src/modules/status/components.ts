/** What the service is made of, for people who use it. */
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

/** How a component stands, the worst last. */
export const STATES = ['up', 'degraded', 'down'] as const

export type State = (typeof STATES)[number]
