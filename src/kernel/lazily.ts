/** Makes something once, when it is first needed: what a start does not need should not hold it up. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
