import { type Raw, parseNano, toRaw } from '../../../kernel/money.ts'
import type { Random } from '../../../kernel/ports.ts'

/** The smallest price, and the last decimal that most wallets let people type (contract 2, rule 9). */
export const SMALLEST_PRICE = toRaw(10n ** 24n)
/** From what can be typed down to what only a link carries. */
const GRAINS: readonly bigint[] = [10n ** 24n, 10n ** 22n, 10n ** 20n, 10n ** 18n]
const FINEST = GRAINS.at(-1)!
/** Four digits: as much as a person will type. */
const TAGS_MAX = 9_999n
/** Beyond this many neighbours only the finest grain has room, so that it is not counted further. */
export const NEIGHBOURS_COUNTED_MAX = Number(TAGS_MAX / 4n)

/** A place where a unique amount may lie: the price, rounded up to a grain, and 1 to `tags` grains more. */
interface AmountSpace {
  grain: bigint
  base: bigint
  tags: bigint
}

/**
 * Where to look for a free amount near a price: the coarsest grain with plenty of room within 0.5 %, then the finer
 * ones. Never the bare price, so that a careless payment matches no checkout (contract 2, rule 8).
 */
export function amountSpaces(price: bigint, neighbours: number): AmountSpace[] {
  // Below 0.5 % more, whatever the price was rounded up to.
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

/** One of the amounts of a space. */
export function pickAmount(random: Random, { grain, base, tags }: AmountSpace): Raw {
  return toRaw(base + (1n + (randomNumber(random) % tags)) * grain)
}

const WITH_WILDCARDS = /^(?=.*X)[0-9X]{1,9}(?:\.[0-9X]{1,30})?$/

/** Whether an amount has digits to be filled at random. */
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

/** Coarser than this is a digit of a price that people ask for. */
const COARSEST_TAIL = 10n ** 26n

/** Whether the last digit to fill is worth no more than a tail: at most 0.0001 nano, and less than 0.5 % of the amount. */
export function endsInTail(text: string): boolean {
  const last = text.lastIndexOf('X')
  const worth = parseNano([...text].map((digit, at) => (at === last ? '1' : digit === '.' ? digit : '0')).join(''))!
  const least = parseNano(text.replaceAll('X', '0'))!
  return worth <= COARSEST_TAIL && worth * 200n < least
}

function randomNumber(random: Random): bigint {
  return Buffer.from(random.bytes(8)).readBigUInt64LE()
}
