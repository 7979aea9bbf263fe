import { createCipheriv, hash, randomInt } from 'node:crypto'
import { basename } from 'node:path'
import { beforeEach } from 'node:test'
import { systemRandom } from '../../src/infra/random.ts'
import { bytesToHex } from '../../src/kernel/nano/hex.ts'
import type { Random } from '../../src/kernel/ports.ts'

/** New in every run, so that runs cover more and more; `SEED=…` repeats a failed run. */
export const SEED = Number(process.env.SEED ?? randomInt(2 ** 32))

/** Random values that are the same for the same seed on every machine. They are predictable: for tests only. */
export class SeededRandom implements Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** An integer from 0 to `limit` - 1; `limit` is at most 2^32. The generator is Mulberry32. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }

  pick<T>(list: ArrayLike<T>): T {
    return list[this.below(list.length)]!
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.below(256))
  }

  /** Upper-case hexadecimal digits. */
  hex(digits: number): string {
    return Array.from({ length: digits }, () => this.pick('0123456789ABCDEF')).join('')
  }

  /** A number of up to `bits` bits; all lengths are equally likely, so that small numbers occur too. */
  bigint(bits: number): bigint {
    return BigInt(`0x${this.hex(Math.ceil(bits / 4))}`) >> BigInt(this.below(bits + 1))
  }
}

/**
 * Random bytes that depend on the seed and the test's name, so that a failed test draws the same when it runs alone. It is a cipher, because
 * `SeededRandom` has too few states for the keys and ids of hundreds of gateways.
 */
class TestRandom implements Random {
  #stream = this.#open('')
  readonly #begun = new Map<string, number>()

  begin(name: string): void {
    const times = (this.#begun.get(name) ?? 0) + 1
    this.#begun.set(name, times)
    this.#stream = this.#open(`${name} ${times}`)
  }

  bytes(count: number): Uint8Array {
    return new Uint8Array(this.#stream.update(new Uint8Array(count)))
  }

  #open(name: string) {
    return createCipheriv('aes-256-ctr', hash('sha256', `${SEED} ${name}`, 'buffer'), new Uint8Array(16))
  }
}

function openTestRandom(): Random {
  const random = new TestRandom()
  beforeEach((t) => random.begin(`${basename(t.filePath!)} ${t.fullName}`))
  return random
}

/**
 * The randomness of tests and their gateways. Other processes use the real one: two on one store must not make the same keys, and a scenario's wallets may
 * hold money.
 */
export const testRandom = /\.test\.\w+$/.test(process.argv[1] ?? '') ? openTestRandom() : systemRandom

/** A random hash. */
export const newHash = () => bytesToHex(testRandom.bytes(32))

/** A random key of 32 bytes in the format of settings. */
export const newKey = () => Buffer.from(testRandom.bytes(32)).toString('base64')

/** Checks a property many times with random values; a failure names the seed. */
export async function repeat(times: number, property: (random: SeededRandom) => void | Promise<void>): Promise<void> {
  const random = new SeededRandom(SEED)
  for (let round = 0; round < times; round++) {
    try {
      await property(random)
    } catch (cause) {
      throw new Error(`seed ${SEED}, round ${round}: ${cause instanceof Error ? cause.message : 'failed'}`, { cause })
    }
  }
}
