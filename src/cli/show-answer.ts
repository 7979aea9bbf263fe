type Members = Record<string, unknown>

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An answer for people: members in lines, lists of records as tables. Control characters are made visible, not sent. */
export function showAnswer(answer: unknown): string {
  if (isObject(answer) && typeof answer.error === 'string') return showRefusal(answer)
  return linesOf(answer).join('\n')
}

/** A refusal on one line, for terminals and logs. */
function showRefusal({ error, message: _same, code, field, detail, nearest, retry_after, ...rest }: Members): string {
  const text = show(error).replace(/\.$/, '')
  const isNamed = field === undefined || nearest !== undefined || text.includes(show(field))
  const more = [
    detail !== undefined && show(detail),
    !isNamed && `Field: ${show(field)}.`,
    nearest !== undefined && `Did you mean ${show(nearest)}?`,
    retry_after !== undefined && `Try again in ${show(retry_after)} seconds.`,
    // Print simple values, such as hashes. Objects and lists are only in the JSON output.
    ...Object.entries(rest).flatMap(([name, value]) => (isPlain(value) ? [`${show(name)}: ${show(value)}`] : [])),
  ].filter((part) => part !== false && part !== '')
  return [`${text}${code === undefined ? '' : ` (${show(code)})`}`, more.join(' ')].filter(Boolean).join('. ')
}

function linesOf(value: unknown): string[] {
  if (Array.isArray(value)) return listLines(value)
  if (isObject(value)) return memberLines(value)
  return [show(value)]
}

function memberLines(members: Members): string[] {
  const names = Object.keys(members)
  const width = Math.max(0, ...names.filter((name) => isPlain(members[name])).map((name) => name.length))
  return names.flatMap((name) => {
    const value = members[name]
    if (isPlain(value)) return [`${show(name).padEnd(width)}  ${show(value)}`]
    const inner = linesOf(value)
    return [show(name), ...(inner.length === 0 ? ['  (none)'] : inner.map((line) => `  ${line}`))]
  })
}

const isPlain = (value: unknown) => typeof value !== 'object' || value === null

function listLines(list: readonly unknown[]): string[] {
  if (!list.every(isObject) || list.length === 0) return list.flatMap(linesOf)
  const columns = [...new Set(list.flatMap((each) => Object.keys(each)))]
  const rows = [columns, ...list.map((each) => columns.map((column) => show(each[column] ?? '')))]
  const widths = columns.map((_, at) => Math.max(...rows.map((cells) => cells[at]!.length)))
  return rows.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd(),
  )
}

/** Names and notes are written by others: characters that move a cursor, colour or hide text are made visible. */
export function show(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  if (text.startsWith('data:image/')) return '(a picture; --json has it)'
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`)
}
