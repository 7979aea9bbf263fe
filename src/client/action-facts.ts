/** What the client has to know of an action to call it. */
export interface ActionFacts {
  /** It changes nothing, and may be asked again. */
  readonly safe?: true
  /** It makes or moves something, at most once for each Idempotency-Key. */
  readonly once?: true
  /** Fields that are amounts, with the unit they are sent in. */
  readonly units?: Readonly<Record<string, 'nano' | 'raw'>>
  /** Where amounts in raw stand in its answer. */
  readonly raws?: readonly string[]
}
