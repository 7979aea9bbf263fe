import { createHash } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { testRandom } from './random.ts'

/* A virtual authenticator: makes passkeys and signs, like a browser and its device. */

interface Asked {
  challenge: string
  rp?: { id: string }
  rpId?: string
  user?: { id: string }
}

interface Signing {
  origin: string
  /** Deviations from a real device. */
  counter?: number
  userHandle?: string
  isVerified?: boolean
  rpId?: string
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest()

/** Supports only numbers, texts, bytes and maps. */
function toCbor(value: unknown): Buffer {
  const head = (major: number, size: number) =>
    size < 24
      ? Buffer.from([(major << 5) | size])
      : size < 256
        ? Buffer.from([(major << 5) | 24, size])
        : Buffer.from([(major << 5) | 25, size >> 8, size & 255])
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(toCbor)])
  const entries = [...(value as Map<unknown, unknown>)]
  return Buffer.concat([head(5, entries.length), ...entries.flat().map(toCbor)])
}

export class Authenticator {
  readonly #keys = p256.keygen(testRandom.bytes(p256.lengths.seed!))
  readonly #id = testRandom.bytes(16)
  #userHandle = ''
  #counter = 0

  get id(): string {
    return text(this.#id)
  }

  /** Answers the options for making a passkey, optionally with an attestation statement. */
  make(
    { challenge, rp, user }: Asked,
    { origin, isVerified = true }: Signing,
    statement: [string, Map<unknown, unknown>] = ['none', new Map()],
  ) {
    this.#userHandle = user!.id
    const point = p256.Point.fromBytes(this.#keys.publicKey).toBytes(false)
    const key = new Map<number, unknown>([[1, 2], [3, -7], [-1, 1], [-2, point.slice(1, 33)], [-3, point.slice(33)]]) // prettier-ignore
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, this.#id.length]), this.#id, toCbor(key)])
    const authData = Buffer.concat([this.#flags(rp!.id, isVerified ? 0x45 : 0x41, 0), credential])
    const object = new Map<string, unknown>([['fmt', statement[0]], ['attStmt', statement[1]], ['authData', authData]]) // prettier-ignore
    const response = {
      clientDataJSON: text(this.#told('webauthn.create', challenge, origin)),
      attestationObject: text(toCbor(object)),
    }
    return { id: this.id, type: 'public-key', response }
  }

  /** Signs the gateway's challenge. */
  sign({ challenge, rpId }: Asked, { origin, isVerified = true, ...as }: Signing) {
    this.#counter = as.counter ?? this.#counter + 1
    const authData = this.#flags(as.rpId ?? rpId!, isVerified ? 0x05 : 0x01, this.#counter)
    const told = this.#told('webauthn.get', challenge, origin)
    const signature = p256.sign(Buffer.concat([authData, sha256(told)]), this.#keys.secretKey, { format: 'der' })
    const response = {
      clientDataJSON: text(told),
      authenticatorData: text(authData),
      signature: text(signature),
      userHandle: as.userHandle ?? this.#userHandle,
    }
    return { id: this.id, type: 'public-key', response }
  }

  #flags(rpId: string, flags: number, counter: number): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count])
  }

  #told(type: string, challenge: string, origin: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }
}
