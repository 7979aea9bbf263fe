/*
 * Interprets a CUDA kernel in PTX for one thread, with the few instructions that the work search uses. It shares no code with the generator of the text,
 * so agreement of the two shows what a GPU would do.
 */
const LOW = 0xffffffffn
const LONG = 2n ** 64n - 1n

/** The parameters of a kernel call and its memory. */
export interface PtxCall {
  parameters: Readonly<Record<string, Buffer>>
  /** Device memory, which begins at this address. */
  memory: Buffer
  address: bigint
  /** Values of special registers such as `%tid.x`. */
  special: Readonly<Record<string, bigint>>
}

type Operands = readonly string[]

class Thread {
  readonly #registers = new Map<string, bigint>()
  readonly #call: PtxCall
  /** How often each instruction was executed. */
  readonly executed = new Map<string, number>()

  constructor(call: PtxCall) {
    this.#call = call
  }

  run(lines: readonly string[]): void {
    const labels = new Map(lines.flatMap((line, index) => (line.endsWith(':') ? [[line.slice(0, -1), index]] : [])))
    for (let at = 0; at < lines.length; at++) {
      const [, guard, instruction, rest] = /^(?:@(%\w+) )?([\w.]+)\s*(.*);$/.exec(lines[at]!) ?? []
      if (instruction === undefined) continue
      if (guard !== undefined && this.#read(guard) === 0n) continue
      this.executed.set(instruction, (this.executed.get(instruction) ?? 0) + 1)
      if (instruction === 'ret') return
      if (instruction === 'bra') at = labels.get(rest!)!
      else this.#execute(instruction, splitOperands(rest!))
    }
    throw new Error('The kernel ran over its end.')
  }

  #execute(instruction: string, [to = '', ...from]: Operands): void {
    const values = () => from.map((operand) => this.#read(operand)) as [bigint, bigint, bigint]
    const set = (value: bigint, mask = LOW) => this.#registers.set(to, value & mask)
    const [a, b, c] =
      instruction.startsWith('ld.') || instruction === 'mov.b64' || instruction.startsWith('st.')
        ? [0n, 0n, 0n]
        : values()
    switch (instruction) {
      case 'mov.u32':
        return void set(a)
      case 'cvt.u64.u32':
        return void set(a, LONG)
      case 'mov.b64':
        return this.#move(to, from[0]!)
      case 'add.u64':
        return void set(a + b, LONG)
      case 'add.u32':
        return void set(a + b)
      case 'and.b32':
        return void set(a & b)
      case 'xor.b64':
        return void set(a ^ b, LONG)
      case 'mad.lo.u32':
        return void set(a * b + c)
      case 'shf.l.wrap.b32':
        return void set(((b << 32n) | a) >> (32n - (c & 31n)))
      case 'prmt.b32':
        return void set(permute(a, b, c))
      case 'dp4a.u32.u32':
        return void set(bytes(a).reduce((sum, byte, index) => sum + byte * bytes(b)[index]!, c))
      case 'dp2a.lo.u32.u32':
        // Multiplies both halves of the first by the two low bytes of the second.
        return void set((a & 0xffffn) * bytes(b)[0]! + (a >> 16n) * bytes(b)[1]! + c)
      case 'setp.ge.u32':
        return void set(a >= b ? 1n : 0n)
      case 'setp.ne.u32':
        return void set(a !== b ? 1n : 0n)
      case 'setp.lt.u32':
      case 'setp.lt.u64':
        return void set(a < b ? 1n : 0n)
      case 'bar.sync':
      case 'membar.sys':
        return
      case 'atom.global.add.u32': {
        const offset = this.#offset(from[0]!)
        set(BigInt(this.#call.memory.readUInt32LE(offset)))
        this.#call.memory.writeUInt32LE(Number((this.#registers.get(to)! + b) & LOW), offset)
        return
      }
      default:
        this.#access(instruction, to, from)
    }
  }

  #access(instruction: string, to: string, from: Operands): void {
    const { parameters, memory } = this.#call
    const isLong = instruction.endsWith('64')
    const [kind] = instruction.split('.')
    if (instruction.startsWith('ld.param.')) {
      const [, name, offset = '0'] = /^\[(\w+)(?:\+(\d+))?\]$/.exec(from[0]!)!
      const bytesOf = parameters[name!]!
      this.#registers.set(
        to,
        isLong ? bytesOf.readBigUInt64LE(Number(offset)) : BigInt(bytesOf.readUInt32LE(Number(offset))),
      )
    } else if (kind === 'ld') {
      const at = this.#offset(from[0]!)
      this.#registers.set(to, isLong ? memory.readBigUInt64LE(at) : BigInt(memory.readUInt32LE(at)))
    } else if (kind === 'st') {
      const value = this.#read(from[0]!)
      if (isLong) memory.writeBigUInt64LE(value, this.#offset(to))
      else memory.writeUInt32LE(Number(value), this.#offset(to))
    } else throw new Error(`No instruction ${instruction}`)
  }

  /** Packs two words into a long one, or unpacks it. */
  #move(to: string, from: string): void {
    const pair = (text: string) => /^\{(%\w+), (%\w+)\}$/.exec(text)?.slice(1) as [string, string] | undefined
    const [into, outOf] = [pair(to), pair(from)]
    if (into) {
      const value = this.#read(from)
      this.#registers.set(into[0], value & LOW)
      this.#registers.set(into[1], value >> 32n)
    } else if (outOf) this.#registers.set(to, (this.#read(outOf[1]) << 32n) | this.#read(outOf[0]))
    else this.#registers.set(to, this.#read(from))
  }

  #offset(operand: string): number {
    const [, register, offset = '0'] = /^\[(%\w+)(?:\+(\d+))?\]$/.exec(operand)!
    return Number(this.#read(register!) - this.#call.address) + Number(offset)
  }

  #read(operand: string): bigint {
    if (operand.startsWith('[')) return 0n
    if (!operand.startsWith('%')) return BigInt(operand)
    const value = this.#registers.get(operand) ?? this.#call.special[operand]
    if (value === undefined) throw new Error(`${operand} is read before it is written`)
    return value
  }
}

const splitOperands = (text: string) => text.match(/\{[^}]*\}|\[[^\]]*\]|[^,\s]+/g) ?? []
const bytes = (value: bigint) => [0n, 8n, 16n, 24n].map((shift) => (value >> shift) & 0xffn)

function permute(a: bigint, b: bigint, order: bigint): bigint {
  const source = [...bytes(a), ...bytes(b)]
  return [0n, 1n, 2n, 3n].reduce((sum, at) => sum | (source[Number((order >> (4n * at)) & 7n)]! << (8n * at)), 0n)
}

/** Runs the kernel once; returns how often each instruction was executed. */
export function runPtx(text: string, call: PtxCall): ReadonlyMap<string, number> {
  const body = text.slice(text.indexOf('\n{\n') + 3, text.lastIndexOf('}'))
  const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('.reg'))
  const thread = new Thread(call)
  thread.run(lines)
  return thread.executed
}
