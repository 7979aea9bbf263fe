import { sha256 } from '@noble/hashes/sha2.js'
import { WORDS } from './word-list.ts'

const SEED_BYTES = 32
const WORD_BITS = 11
const WORD_COUNT = 24

/**
 * A seed as 24 words (BIP-39): 256 bits of the seed and 8 of its hash, 11 bits per word. Other Nano wallets open the
 * same accounts with these words.
 */
export function toWords(seed: Uint8Array): string[] {
  if (seed.length !== SEED_BYTES) throw new TypeError('A seed has 32 bytes.')
  const bits = [...seed, sha256(seed)[0]!].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return Array.from(
    { length: WORD_COUNT },
    (_, at) => WORDS[parseInt(bits.slice(at * WORD_BITS, (at + 1) * WORD_BITS), 2)]!,
  )
}

/**
 * Reads the words of a seed, in any case and spacing. Errors name a word by its position and never repeat it, because
 * errors are logged.
 */
export function readWords(text: string): Uint8Array {
  const words = splitWords(text)
  if (words.length !== WORD_COUNT) throw new Error(`A seed has ${WORD_COUNT} words; these are ${words.length}.`)
  const values = words.map((word) => WORDS.indexOf(word))
  const unknown = values.indexOf(-1)
  if (unknown !== -1) throw new Error(`Word ${unknown + 1} is not in the list of words. Check how it is spelled.`)
  const bits = values.map((value) => value.toString(2).padStart(WORD_BITS, '0')).join('')
  const bytes = Uint8Array.from(bits.match(/.{8}/g)!, (byte) => parseInt(byte, 2))
  const seed = bytes.slice(0, SEED_BYTES)
  if (bytes[SEED_BYTES] !== sha256(seed)[0]) {
    throw new Error('Each word is in the list, but not all are those of one seed: a word is wrong, or two are swapped.')
  }
  return seed
}

/** The position, from 1, of the first word that does not belong to this seed; undefined if all do. */
export function findWrongWord(text: string, seed: Uint8Array): number | undefined {
  const given = splitWords(text)
  const at = toWords(seed).findIndex((word, position) => word !== given[position])
  return at === -1 ? (given.length > WORD_COUNT ? WORD_COUNT + 1 : undefined) : at + 1
}

/** Numbers of places may stand between them, as they are shown. */
const splitWords = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .split(/[^\p{Letter}]+/u)
    .filter((word) => word !== '')
