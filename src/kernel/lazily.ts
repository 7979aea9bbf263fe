/** Makes something once, when it is first needed, so that it does not delay the start. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
