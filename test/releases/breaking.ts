/** One field of the API, parsed from its line. */
interface Field {
  /** For messages: `account_info > balance`. */
  name: string
  isAsked: boolean
  required: boolean
  forms: string[]
}

function readLines(lines: readonly string[]): Map<string, Field> {
  const fields = new Map<string, Field>()
  for (const line of lines.filter((line) => line !== '')) {
    const [, numbered = '', mark, forms = ''] = /^(\S+ [<>](?: [^\s!]+)?|[A-Z]+ \/\S*)(!?) (.+)$/.exec(line) ?? []
    if (numbered === '') throw new Error(`Not a line of an API: ${line}`)
    // Objects among other forms of a value have numbers, which change with the forms beside them.
    const name = numbered.replace(/\|\d+/g, '')
    const same = fields.get(name)
    fields.set(name, {
      name,
      isAsked: name.includes(' <'),
      required: mark === '!' && (same?.required ?? true),
      forms: [...(same?.forms ?? []), ...forms.replace(/(?<=\b(?:object|array)) \d+/g, '').split(' | ')],
    })
  }
  return fields
}

/** Changes that break clients of the previous release, as sentences. */
export function findBreaking(before: readonly string[], after: readonly string[]): { name: string; what: string }[] {
  const [old, now] = [readLines(before), readLines(after)]
  const found: { name: string; what: string }[] = []
  for (const field of old.values()) {
    const { name } = field
    const kept = now.get(name)
    const what = kept === undefined ? 'is gone' : field.isAsked ? narrowed(field, kept) : widened(field, kept)
    if (what !== undefined) found.push({ name, what })
  }
  for (const { name, isAsked, required } of now.values()) {
    // A new action may require any fields.
    if (isAsked && required && !old.has(name) && old.has(parentOf(name))) found.push({ name, what: 'must be given' })
  }
  return found
}

const parentOf = (name: string) => {
  const parent = name.replace(/(\.[^.[]+|\[\])$/, '')
  return parent === name ? name.replace(/ < .*$/, ' < action') : parent
}

/** Every request accepted before must still be accepted. */
function narrowed(old: Field, now: Field): string | undefined {
  if (now.required && !old.required) return 'must be given'
  // 0.1.0 did not describe the types of some fields, so describing them now takes nothing away.
  if (old.forms.length === 1 && old.forms[0] === 'anything') return undefined
  const lost = old.forms.filter((form) => !now.forms.some((other) => covers(other, form)))
  return lost.length === 0 ? undefined : `is taken no longer as ${lost.join(', ')}`
}

/** An answer must not contain anything that a client could not expect. */
function widened(old: Field, now: Field): string | undefined {
  if (old.required && !now.required) return 'may be missing'
  const added = now.forms.filter((form) => !old.forms.some((other) => covers(other, form)))
  return added.length === 0 ? undefined : `may be ${added.join(', ')}`
}

/** Whether the wide form allows everything that the narrow one allows. */
function covers(wide: string, narrow: string): boolean {
  if (wide === narrow || wide === 'anything') return true
  if (wide === 'number' && narrow.startsWith('integer')) return true
  const isText = narrow.startsWith('string') || narrow.startsWith('"')
  return (wide === 'string' && isText) || (/^[a-z]+$/.test(wide) && narrow.startsWith(`${wide} `))
}
