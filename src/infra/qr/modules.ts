import { encode } from 'uqr'

/** Readers accept every mask. Finding the best of the eight would cost more than everything else. */
const MASK = 3
const VERSION_MAX = 40
/** Check bytes of a block, and number of blocks, by version, for level M. */
const CHECK_BYTES = [
  10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
]
const BLOCKS = [
  1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35,
  37, 38, 40, 43, 45, 47, 49,
]
const BYTE_MODE = 4
const PADDING = [0xec, 0x11]

export interface QrModules {
  /** Modules on a side, without the quiet zone. */
  size: number
  /** Row by row; 1 is dark. */
  dark: Uint8Array
}

/** What all codes of a version have in common. */
interface Form extends QrModules {
  version: number
  /** Positions of the bits, in order; the mask is already drawn there. */
  places: Uint16Array
  bytes: number
  dataBytes: number
  blocks: number
  checkBytes: number
  /** Logarithms of the divisor's coefficients. */
  divisor: Uint8Array
}

/**
 * Powers of two in the Galois field of the codes. The list is repeated, so that a sum of logarithms needs no modulus.
 */
const POWERS = new Uint8Array(510)
const LOGARITHMS = new Uint8Array(256)
for (let at = 0, power = 1; at < 255; at++) {
  POWERS[at] = POWERS[at + 255] = power
  LOGARITHMS[power] = at
  power = (power << 1) ^ (power >> 7 ? 0x11d : 0)
}

const forms = new Map<number, Form>()

/**
 * A text as a QR code of level M. A general encoder draws every module of every code again, which was most of the cost
 * of a checkout. Here the encoder draws each version once, and the bits of a text are written into a copy.
 */
export function toModules(text: string): QrModules {
  const bytes = Buffer.from(text)
  const form = formFor(bytes.length)
  const dark = form.dark.slice()
  const words = interleave(form, toDataBytes(form, bytes))
  const { places } = form
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    for (let bit = 0; bit < 8; bit++) dark[places[at * 8 + bit]!]! ^= (word >> (7 - bit)) & 1
  }
  return { size: form.size, dark }
}

const lengthBits = (version: number) => (version < 10 ? 8 : 16)

function formFor(length: number): Form {
  for (let version = 1; version <= VERSION_MAX; version++) {
    const form = forms.get(version) ?? drawForm(version)
    if (4 + lengthBits(version) + length * 8 <= form.dataBytes * 8) return form
  }
  throw new RangeError('The text is too long for a QR code.')
}

function drawForm(version: number): Form {
  const fixed = { ecc: 'M', border: 0, maskPattern: MASK, minVersion: version, maxVersion: version } as const
  const { size, data, types } = encode('', fixed)
  const isData = (x: number, y: number) => Number(types[y]![x]) === 0
  const dark = new Uint8Array(size * size)
  const places: number[] = []
  for (let right = size - 1; right >= 1; right -= 2) {
    // Skip the column of the timing pattern.
    if (right === 6) right = 5
    const upward = ((right + 1) & 2) === 0
    for (let step = 0; step < size; step++) {
      const y = upward ? size - 1 - step : step
      for (const x of [right, right - 1]) if (isData(x, y)) places.push(y * size + x)
    }
  }
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const isDark = isData(x, y) ? (x + y) % 3 === 0 : data[y]![x]
      if (isDark) dark[y * size + x] = 1
    }
  }
  const [blocks, checkBytes] = [BLOCKS[version - 1]!, CHECK_BYTES[version - 1]!]
  const bytes = places.length >> 3
  const form: Form = {
    version,
    size,
    dark,
    places: Uint16Array.from(places),
    bytes,
    dataBytes: bytes - blocks * checkBytes,
    blocks,
    checkBytes,
    divisor: toDivisor(checkBytes),
  }
  forms.set(version, form)
  return form
}

/** Mode, length, text, and padding up to the end. */
function toDataBytes({ version, dataBytes }: Form, text: Uint8Array): Uint8Array {
  const words = new Uint8Array(dataBytes)
  let bits = 0
  const put = (value: number, count: number) => {
    for (let bit = count - 1; bit >= 0; bit--, bits++) words[bits >> 3]! |= ((value >> bit) & 1) << (7 - (bits & 7))
  }
  put(BYTE_MODE, 4)
  put(text.length, lengthBits(version))
  // The mode takes four bits, so every byte is split between two.
  let at = bits >> 3
  for (const byte of text) {
    words[at++]! |= byte >> 4
    words[at] = (byte & 15) << 4
  }
  for (let pad = 0, next = at + 1; next < dataBytes; next++) words[next] = PADDING[pad++ & 1]!
  return words
}

/** Takes a byte of each block in turn, longer blocks last; then the check bytes in the same way. */
function interleave({ bytes, dataBytes, blocks, checkBytes, divisor }: Form, data: Uint8Array): Uint8Array {
  const words = new Uint8Array(bytes)
  const short = Math.floor(dataBytes / blocks)
  const shortBlocks = blocks - (dataBytes % blocks)
  for (let block = 0, from = 0; block < blocks; block++) {
    const length = short + (block < shortBlocks ? 0 : 1)
    for (let at = 0; at < length; at++) {
      words[at < short ? at * blocks + block : short * blocks + block - shortBlocks] = data[from + at]!
    }
    const check = toCheckBytes(data.subarray(from, from + length), divisor)
    for (let at = 0; at < checkBytes; at++) words[dataBytes + at * blocks + block] = check[at]!
    from += length
  }
  return words
}

/** The product of all (x - 2^i), without its first coefficient, which is 1. */
function toDivisor(degree: number): Uint8Array {
  const coefficients = new Uint8Array(degree)
  coefficients[degree - 1] = 1
  for (let root = 0; root < degree; root++) {
    for (let at = 0; at < degree; at++) {
      const coefficient = coefficients[at]!
      const times = coefficient === 0 ? 0 : POWERS[LOGARITHMS[coefficient]! + root]!
      coefficients[at] = times ^ (coefficients[at + 1] ?? 0)
    }
  }
  return coefficients.map((coefficient) => LOGARITHMS[coefficient]!)
}

/** The Reed-Solomon check bytes: the remainder of the block after division. */
function toCheckBytes(data: Uint8Array, divisor: Uint8Array): Uint8Array {
  const degree = divisor.length
  const rest = new Uint8Array(degree)
  for (const byte of data) {
    const factor = byte ^ rest[0]!
    rest.copyWithin(0, 1)
    rest[degree - 1] = 0
    if (factor === 0) continue
    const logarithm = LOGARITHMS[factor]!
    for (let at = 0; at < degree; at++) rest[at]! ^= POWERS[divisor[at]! + logarithm]!
  }
  return rest
}
