/** The elements of a JSON array, or the members of an object, as they were written. The text is known to be valid. */
export function splitParts(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let begin = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = endOfString(text, at)
    else if (code === 0x7b || code === 0x5b) {
      if (++depth === 1) begin = at + 1
    } else if ((code === 0x2c && depth === 1) || ((code === 0x7d || code === 0x5d) && --depth === 0)) {
      parts.push(text.slice(begin, at).trim())
      begin = at + 1
    }
  }
  return parts.length === 1 && parts[0] === '' ? [] : parts
}

/** The value of a member as it was written: numbers keep digits that no number of ours has. The last of equal names counts. */
export function findPart(object: string, name: string): string | undefined {
  const member = splitParts(object).findLast((part) => nameOf(part) === name)
  return member?.slice(member.indexOf(':', endOfString(member, 0)) + 1).trim()
}

/** Most names are written as they are, and reading each as JSON would cost more than the rest. */
function nameOf(member: string): unknown {
  const text = member.slice(0, endOfString(member, 0) + 1)
  return text.includes('\\') ? JSON.parse(text) : text.slice(1, -1)
}

/** Where the string ends that begins here. */
function endOfString(text: string, begin: number): number {
  let at = begin + 1
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1
  return at
}
