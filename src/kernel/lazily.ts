/** Makes something once, when it is first needed, so that the start is not delayed. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
