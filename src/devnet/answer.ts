import { type Answer, Entries } from '../kernel/nano/node-answer.ts'

/**
 * Longest path of dots that is nested; a name with more dots stays one name, because its containers could make the
 * answer much longer than the request. Addresses contain no dots.
 */
const NESTING_MAX = 32

/** Sets a member like the node does: each dot in the name opens a nested container. */
export function putPath(target: Entries, path: string, value: Answer): void {
  const dotted = path.split('.', NESTING_MAX + 1)
  const names = dotted.length > NESTING_MAX ? [path] : dotted
  const last = names.pop()!
  let container = target
  for (const name of names) {
    const found = container.get(name)
    const inner = found instanceof Entries ? found : new Entries()
    if (inner !== found) container.put(name, inner)
    container = inner
  }
  container.put(last, value)
}
