/** Who acted, for the activity log. The log stores the id, whose form shows the kind of actor. */
export interface Actor {
  kind: 'person' | 'key' | 'operator' | 'service' | 'payer'
  /** The id of a member or key, the name of a service, or the address of a payer if known. */
  id: string
}

/** A person at the command line. */
export const OPERATOR: Actor = { kind: 'operator', id: 'command line' }

export const actorOf = {
  person: (id: string): Actor => ({ kind: 'person', id }),
  key: (id: string): Actor => ({ kind: 'key', id }),
  service: (id: 'system' | 'sign-in' | 'buy_rpc' | 'service' | 'developer'): Actor => ({ kind: 'service', id }),
  payer: (id = 'payer'): Actor => ({ kind: 'payer', id }),
}
