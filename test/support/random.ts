import { createCipheriv, hash, randomInt } from 'node:crypto'
import { basename } from 'node:path'
import { beforeEach } from 'node:test'
import { systemRandom } from '../../src/infra/random.ts'
import { bytesToHex } from '../../src/kernel/nano/hex.ts'
import type { Random } from '../../src/kernel/ports.ts'

/** Fresh in every run, so that runs add up; `SEED=…` repeats the run that failed. */
export const SEED = Number(process.env.SEED ?? randomInt(2 ** 32))

/** Random values that the same seed gives again on every machine. Anybody can predict them: for tests only. */
export class SeededRandom implements Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A whole number from zero up to, but without, `limit`, which is 2^32 at most. The generator is Mulberry32. */
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

  /** A number of up to `bits` bits; every length is as likely as any other, so that small numbers come up too. */
  bigint(bits: number): bigint {
    return BigInt(`0x${this.hex(Math.ceil(bits / 4))}`) >> BigInt(this.below(bits + 1))
  }
}

/**
 * Bytes of a test's own: they follow from the seed and the test's name, so that a test that failed among others draws the same when it runs
 * alone. A cipher and not `SeededRandom`, whose numbers are too few for the keys and ids of hundreds of gateways.
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
 * What tests give to gateways, and draw from themselves. Other processes have the real one: two on one store may not make the same keys,
 * and a scenario's wallets may hold money.
 */
export const testRandom = /\.test\.\w+$/.test(process.argv[1] ?? '') ? openTestRandom() : systemRandom

/** A hash that nobody knows. */
export const newHash = () => bytesToHex(testRandom.bytes(32))

/** 32 bytes as a setting has them. */
export const newKey = () => Buffer.from(testRandom.bytes(32)).toString('base64')

/** Runs a property many times on random values; a failure names the seed that repeats it. */
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
