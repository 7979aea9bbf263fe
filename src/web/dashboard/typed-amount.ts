/* Amounts as people type them: 12,50 · 1.234,50 · €12.50 · 2 nano. */

const SPACES = /[\s\u00a0\u2009\u202f]/g
const SIGNS = { NANO: ['nano', 'Ӿ', 'XNO'] } as const

function signsOf(currency: string): readonly string[] {
  if (currency === 'NANO') return SIGNS.NANO
  if (!/^[A-Z]{3}$/.test(currency)) return []
  const signs = (['symbol', 'narrowSymbol', 'code'] as const).flatMap((currencyDisplay) =>
    new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay })
      .formatToParts(1)
      .flatMap(({ type, value }) => (type === 'currency' ? [value] : [])),
  )
  return [...new Set(signs)]
}

function withoutSign(text: string, currency: string): string {
  for (const sign of signsOf(currency)) {
    const [low, typed] = [sign.toLowerCase(), text.toLowerCase()]
    if (typed.startsWith(low)) return text.slice(sign.length)
    if (typed.endsWith(low)) return text.slice(0, -sign.length)
  }
  return text
}

/**
 * Converts a typed amount into the plain decimal that the API reads. An ambiguous or invalid amount stays in a form that the API refuses:
 * 1,250 may mean a thousand or one.
 */
export function fromTyped(typed: string, currency = ''): string {
  const text = withoutSign(typed.replaceAll(SPACES, ''), currency)
  if (!/^[0-9.,'’]*[0-9]$/.test(text)) return typed
  const marks = text.replaceAll(/[0-9]/g, '')
  const last = marks.at(-1)
  if (last === undefined) return text
  const [whole, fraction] = splitLast(text, last)
  const isOnce = marks.indexOf(last) === marks.length - 1
  const others = marks.slice(0, -1)
  if (marks.length > 1) {
    // The last of two different marks is the decimal one; of one kind alone, all of them separate thousands.
    if (isOnce && isGrouped(whole, others)) return `${plain(whole)}.${fraction}`
    return isGrouped(text, marks) ? plain(text) : typed
  }
  if (last === "'" || last === '’') return isGrouped(text, marks) ? plain(text) : typed
  const isUnclear = fraction.length === 3 && /^[1-9][0-9]{0,2}$/.test(whole)
  // A dot is the API's decimal mark; prices in a currency that has cents have no third decimal.
  if (isUnclear && (last === ',' || (currency !== 'NANO' && currency !== ''))) return text.replace('.', ',')
  return `${whole === '' ? '0' : whole}.${fraction}`
}

function splitLast(text: string, mark: string): [string, string] {
  const at = text.lastIndexOf(mark)
  return [text.slice(0, at), text.slice(at + 1)]
}

const plain = (text: string) => text.replaceAll(/[.,'’]/g, '')

/** Whether one kind of mark separates groups of three digits. */
const isGrouped = (text: string, marks: string) =>
  new Set(marks).size <= 1 && /^[0-9]{1,3}(?:[.,'’][0-9]{3})*$/.test(text)

/** Fields of a form, of which those with a currency are amounts. */
export const withAmounts = <F extends Readonly<Record<string, string>>>(
  fields: F,
  currencies: Record<string, string>,
): F => ({
  ...fields,
  ...Object.fromEntries(
    Object.entries(currencies).flatMap(([name, currency]) =>
      fields[name] === undefined ? [] : [[name, fromTyped(fields[name], currency)]],
    ),
  ),
})
