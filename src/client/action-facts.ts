/** What the client needs to know about an action to call it. */
export interface ActionFacts {
  /** Whether the action changes nothing and may be repeated. */
  readonly safe?: true
  /** Whether it makes or moves something, at most once for each Idempotency-Key. */
  readonly once?: true
  /** Fields that are amounts, with the unit in which they are sent. */
  readonly units?: Readonly<Record<string, 'nano' | 'raw'>>
  /** Paths of amounts in raw in its answer. */
  readonly raws?: readonly string[]
}
