/** Letters and digits of ASCII: nothing that looks like them and is something else. */
const NAME = /^[A-Za-z0-9]{1,30}$/

/** How a name is compared: in small letters. Undefined for what is no name; a letter that only becomes one is none. */
export function toNameKey(text: string): string | undefined {
  return NAME.test(text) ? text.toLowerCase() : undefined
}

/** What people cannot tell apart at a glance is the same here: `I`, `l` and `1`, `O` and `0`. */
export function toSkeleton(name: string): string {
  return name.toLowerCase().replaceAll('0', 'o').replaceAll(/[1i]/g, 'l')
}
