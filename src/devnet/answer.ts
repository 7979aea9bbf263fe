/** An answer before it is written: text, lists and named members. Empty containers become `""` on the wire. */
export type Answer = string | Answer[] | { [name: string]: Answer | undefined }
export type Members = { [name: string]: Answer | undefined }

/** A container for names from outside: without prototype, so that it inherits none. */
export function members(): Members {
  return Object.create(null) as Members
}

/** Addresses contain no dots. A name with more than these stays one name, or the answer would outgrow the question. */
const NESTING_MAX = 32

/** Sets a member the way the node does: a dot in the name opens a nested container. */
export function putPath(target: Members, path: string, value: Answer): void {
  const dotted = path.split('.', NESTING_MAX + 1)
  const names = dotted.length > NESTING_MAX ? [path] : dotted
  const last = names.pop()!
  let container = target
  for (const name of names) {
    const inner = container[name]
    if (typeof inner === 'object' && !Array.isArray(inner)) container = inner
    else container = container[name] = members()
  }
  container[last] = value
}

function isEmpty(value: Answer): boolean {
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** The node's own format: four spaces, a line end, escaped slashes, and `""` for whatever is empty. */
export function writeAnswer(answer: Answer): string {
  const text = JSON.stringify(answer, (_name, value: Answer) => (isEmpty(value) ? '' : value), 4)
  return `${text.replaceAll('/', '\\/')}\n`
}
