/** Changes the last character of a text, to simulate a typo in a key, an address or a hash. */
export const another = (text: string) => text.slice(0, -1) + (text.endsWith('1') ? '3' : '1')
