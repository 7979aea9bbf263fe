/** A text of the same length and alphabet that differs in its last character, whatever that is: a key, an address or a hash with a slip. */
export const another = (text: string) => text.slice(0, -1) + (text.endsWith('1') ? '3' : '1')
