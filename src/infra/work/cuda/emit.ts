import { FIRST_WORD, type HashSteps, type Operand, type Operation } from '../blake2b-steps.ts'

/*
 * The search as PTX, the text that every driver of NVIDIA compiles for its card: no compiler, no toolkit, no build step.
 *
 *   search(constants, start, stride, rounds, threshold, result)
 *
 * Every thread tries `rounds` nonces, `stride` apart. `result` begins with a word that ends the search when it is not
 * zero; then come the number of finds and the nonce of the first of them.
 *
 * A card of these generations has two pipes for integers, and a hash keeps one of them busy: additions, exclusive
 * ors and shifts. The other one multiplies. So some rotations are done by multiplying (`dot` in the shape): a dot product
 * of bytes with one weight is a shift to the right, a multiplication one to the left. The factors are parameters, because
 * the compiler would turn constant factors into shifts again.
 */
const FACTORS = { m8: 1 << 8, m16: 1 << 16, m2: 2, s24: 0x01000000, s16: 0x0100, s2: 0x02000000, s1: 0x0100 } as const
const FACTOR_NAMES = Object.keys(FACTORS) as (keyof typeof FACTORS)[]
/** Cards from version 6.1 on have dot products of bytes; this text is for the versions that are still maintained. */
const HEAD = '.version 7.0\n.target sm_75\n.address_size 64\n'
/** How many nonces a thread tries between two checks of the stop word; a power of two. */
const LOOK_EVERY = 4

export const RESULT_BYTES = 16

/** The bytes of the first parameter: the constants of a root, then the factors. */
export function cudaConstants(hash: HashSteps, root: readonly bigint[]): Buffer {
  const bytes = Buffer.alloc(constantBytes(hash))
  hash.constantsOf(root).forEach((value, index) => bytes.writeBigUInt64LE(value, 8 * index))
  FACTOR_NAMES.forEach((name, index) => bytes.writeUInt32LE(FACTORS[name], factorOffset(hash) + 4 * index))
  return bytes
}

const factorOffset = (hash: HashSteps) => 8 * hash.constants.length
const constantBytes = (hash: HashSteps) => Math.ceil((factorOffset(hash) + 4 * FACTOR_NAMES.length) / 8) * 8

/** Writes the operations of the hash. Every value gets its own register; the driver allocates real ones. */
class HashText {
  readonly lines: string[] = []
  readonly #rotations: CudaShape['rotations']
  readonly #values = new Map<Operand, string>([['nonce', '%nonce']])
  /** Number of registers of 64 and of 32 bits. */
  longs = 0
  words = 0
  #rotationsBy63 = 0

  constructor(hash: HashSteps, rotations: CudaShape['rotations']) {
    this.#rotations = rotations
    for (const constant of hash.constants) this.#values.set(constant, `%${constant}`)
    for (const operation of hash.steps.flat()) this.#write(operation)
  }

  /** The register with the value of the nonce. */
  result(): string {
    const mixed = this.#long('xor.b64', this.#values.get('v0')!, this.#values.get('v8')!)
    return this.#long('xor.b64', mixed, `0x${FIRST_WORD.toString(16)}`)
  }

  #write({ kind, to, left, right, bits }: Operation): void {
    const operands = [this.#values.get(left)!, this.#values.get(right)!] as const
    const value = kind === 'add' ? this.#long('add.u64', ...operands) : this.#rotated(operands, bits)
    this.#values.set(to, value)
  }

  #rotated(operands: readonly [string, string], bits: number): string {
    const mixed = this.#long('xor.b64', ...operands)
    const [low, high] = [`%w${this.words++}`, `%w${this.words++}`]
    this.lines.push(`mov.b64 {${low}, ${high}}, ${mixed};`)
    if (bits === 32) return this.#joined(high, low)
    if (bits === 63) return this.#rotatedBy63(low, high)
    if (this.#rotations === 'plain') {
      const order = bits === 24 ? '0x6543' : '0x5432'
      return this.#joined(this.#word('prmt.b32', low, high, order), this.#word('prmt.b32', high, low, order))
    }
    const [product, weight, factor] =
      bits === 24 ? ['dp4a.u32.u32', '%s24', '%m8'] : ['dp2a.lo.u32.u32', '%s16', '%m16']
    const half = (right: string, left: string) =>
      this.#word('mad.lo.u32', left, factor, this.#word(product, right, weight, '0'))
    return this.#joined(half(low, high), half(high, low))
  }

  #rotatedBy63(low: string, high: string): string {
    const highHalf = this.#word('shf.l.wrap.b32', low, high, '1')
    const isMultiplied = this.#rotations === 'dot63' && ++this.#rotationsBy63 % 2 === 0
    if (!isMultiplied) return this.#joined(this.#word('shf.l.wrap.b32', high, low, '1'), highHalf)
    const sevenRight = this.#word('dp4a.u32.u32', high, '%s2', '0')
    const topBit = this.#word('dp4a.u32.u32', sevenRight, '%s1', '0')
    return this.#joined(this.#word('mad.lo.u32', low, '%m2', topBit), highHalf)
  }

  #joined(low: string, high: string): string {
    const to = `%q${this.longs++}`
    this.lines.push(`mov.b64 ${to}, {${low}, ${high}};`)
    return to
  }

  #long(instruction: string, left: string, right: string): string {
    const to = `%q${this.longs++}`
    this.lines.push(`${instruction} ${to}, ${left}, ${right};`)
    return to
  }

  #word(instruction: string, ...operands: readonly string[]): string {
    const to = `%w${this.words++}`
    this.lines.push(`${instruction} ${to}, ${operands.join(', ')};`)
    return to
  }
}

export function emitPtx(hash: HashSteps, { rotations, threads }: CudaShape): string {
  const text = new HashText(hash, rotations)
  const value = text.result()
  const constants = hash.constants.map((name) => `%${name}`)
  const factors = FACTOR_NAMES.map((name) => `%${name}`)
  const load = (name: string, offset: number, type: string) => `ld.param.${type} ${name}, [constants+${offset}];`
  return `${HEAD}
.visible .entry search(.param .align 8 .b8 constants[${constantBytes(hash)}], .param .u64 start, .param .u64 stride,
  .param .u32 rounds, .param .u64 threshold, .param .u64 result)
.maxntid ${threads}, 1, 1
.minnctapersm 1
{
.reg .b64 %q<${text.longs}>;
.reg .b32 %w<${text.words}>;
.reg .b64 ${constants.join(', ')}, %nonce, %stride, %threshold, %result, %offset;
.reg .b32 ${factors.join(', ')}, %round, %rounds, %thread, %block, %blockSize, %global, %look, %stop, %finds;
.reg .b32 %thresholdLow, %thresholdHigh, %valueLow, %valueHigh;
.reg .pred %done, %busy, %stopped, %far, %short, %late;
${constants.map((name, index) => load(name, 8 * index, 'u64')).join('\n')}
${factors.map((name, index) => load(name, factorOffset(hash) + 4 * index, 'u32')).join('\n')}
ld.param.u64 %nonce, [start];
ld.param.u64 %stride, [stride];
ld.param.u32 %rounds, [rounds];
ld.param.u64 %threshold, [threshold];
ld.param.u64 %result, [result];
mov.u32 %thread, %tid.x;
mov.u32 %block, %ctaid.x;
mov.u32 %blockSize, %ntid.x;
mad.lo.u32 %global, %block, %blockSize, %thread;
cvt.u64.u32 %offset, %global;
add.u64 %nonce, %nonce, %offset;
mov.b64 {%thresholdLow, %thresholdHigh}, %threshold;
mov.u32 %round, 0;
ROUND:
setp.ge.u32 %done, %round, %rounds;
@%done bra END;
bar.sync 0;
and.b32 %look, %round, ${LOOK_EVERY - 1};
setp.ne.u32 %busy, %look, 0;
@%busy bra HASH;
ld.volatile.global.u32 %stop, [%result];
setp.ne.u32 %stopped, %stop, 0;
@%stopped bra END;
HASH:
${text.lines.join('\n')}
mov.b64 {%valueLow, %valueHigh}, ${value};
setp.lt.u32 %far, %valueHigh, %thresholdHigh;
@%far bra NEXT;
setp.lt.u64 %short, ${value}, %threshold;
@%short bra NEXT;
atom.global.add.u32 %finds, [%result+4], 1;
setp.ne.u32 %late, %finds, 0;
@%late bra NEXT;
st.volatile.global.u64 [%result+8], %nonce;
membar.sys;
st.volatile.global.u32 [%result], 1;
NEXT:
add.u64 %nonce, %nonce, %stride;
add.u32 %round, %round, 1;
bra ROUND;
END:
ret;
}
`
}

/** A variant of the search for NVIDIA cards. All find the same nonces; which is fastest depends on the card. */
export interface CudaShape {
  name: string
  /** Which rotations are done by multiplying: none, those by whole bytes, or also half of those by 63 bits. */
  rotations: 'plain' | 'dot' | 'dot63'
  /** Threads in a block. Threads of large blocks run in step, so that their instructions are cached. */
  threads: number
}

const ROTATIONS = ['plain', 'dot', 'dot63'] as const
const THREADS = [256, 512, 1024] as const

export const CUDA_SHAPES: readonly CudaShape[] = ROTATIONS.flatMap((rotations) =>
  THREADS.map((threads) => ({ name: `${rotations}-${threads}`, rotations, threads })),
)
