import { type Raw, parseNano, toRaw } from '../../../kernel/money.ts'
import type { Random } from '../../../kernel/ports.ts'

/** The smallest price; this is also the last decimal that most wallets let people type (contract 2, rule 9). */
export const SMALLEST_PRICE = toRaw(10n ** 24n)
/** Steps between unique amounts: from decimals that people can type down to those that only a payment link carries. */
const GRAINS: readonly bigint[] = [10n ** 24n, 10n ** 22n, 10n ** 20n, 10n ** 18n]
const FINEST = GRAINS.at(-1)!
/** Four digits, because people will not type more. */
const TAGS_MAX = 9_999n
/** With more reserved amounts than this near the price, only the finest grain has space left, so counting stops here. */
export const NEIGHBOURS_COUNTED_MAX = Number(TAGS_MAX / 4n)

/** A range of unique amounts: the price, rounded up to a grain, plus 1 to `tags` grains. */
interface AmountSpace {
  grain: bigint
  base: bigint
  tags: bigint
}

/**
 * The ranges in which to look for a free amount near a price: first the coarsest grain with enough free amounts within 0.5 %, then
 * finer ones. Never the bare price, so that a careless payment matches no checkout (contract 2, rule 8).
 */
export function amountSpaces(price: bigint, neighbours: number): AmountSpace[] {
  // At most 0.5 % above the price, whatever the price was rounded up to.
  const largest = (price * 1005n - 1n) / 1000n
  const enough = 4n * BigInt(neighbours) + 100n
  const spaces = GRAINS.map((grain) => {
    const base = ((price + grain - 1n) / grain) * grain
    const tags = largest > base ? (largest - base) / grain : 0n
    return { grain, base, tags: grain === FINEST || tags < TAGS_MAX ? tags : TAGS_MAX }
  })
  const first = spaces.findIndex(({ tags }) => tags >= enough)
  return spaces.slice(first < 0 ? -1 : first).filter(({ tags }) => tags > 0n)
}

/** Picks one of the amounts of a range. */
export function pickAmount(random: Random, { grain, base, tags }: AmountSpace): Raw {
  return toRaw(base + (1n + (randomNumber(random) % tags)) * grain)
}

const WITH_WILDCARDS = /^(?=.*X)[0-9X]{1,9}(?:\.[0-9X]{1,30})?$/

export function hasWildcards(text: string): boolean {
  return WITH_WILDCARDS.test(text)
}

/** Fills each `X` with a random digit; the last one never with zero, so that the amount cannot be the bare price. */
export function fillWildcards(random: Random, text: string): Raw | undefined {
  const last = text.lastIndexOf('X')
  const filled = [...text].map((digit, at) => {
    if (digit !== 'X') return digit
    return at === last ? 1n + (randomNumber(random) % 9n) : randomNumber(random) % 10n
  })
  return parseNano(filled.join(''))
}

/** The most that the last random digit may be worth. A digit worth more belongs to prices that people would ask for. */
const COARSEST_TAIL = 10n ** 26n

/** Whether the last digit to fill is small enough to be a tail: at most 0.0001 nano, and less than 0.5 % of the amount. */
export function endsInTail(text: string): boolean {
  const last = text.lastIndexOf('X')
  const worth = parseNano([...text].map((digit, at) => (at === last ? '1' : digit === '.' ? digit : '0')).join(''))!
  const least = parseNano(text.replaceAll('X', '0'))!
  return worth <= COARSEST_TAIL && worth * 200n < least
}

function randomNumber(random: Random): bigint {
  return Buffer.from(random.bytes(8)).readBigUInt64LE()
}
