import { hashApiKey } from '../../../kernel/api-key.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { deleteChallengesOf, insertChallenge, takeChallenge, type Challenge } from './challenges-store.ts'
import { listPasskeys } from './passkeys-store.ts'
import type { Person } from './person.ts'
import type { RelyingParty } from './relying-party.ts'

const CHALLENGE_MILLISECONDS = 5 * 60_000
const CHALLENGE_BYTES = 32
const HANDLE_BYTES = 32
/** Ed25519, P-256 and RSA, which every device has one of. */
const ALGORITHMS = [-8, -7, -257]

type Wanted = Pick<Challenge, 'purpose' | 'boundTo' | 'userHandle'>

/** Something to sign, for five minutes. Who asks again has only the newest: they are bounded by who can ask. */
async function makeChallenge({ db, clock, random }: StoreCtx, wanted: Wanted): Promise<string> {
  const challenge = toText(random.bytes(CHALLENGE_BYTES))
  await deleteChallengesOf(db, wanted)
  await insertChallenge(db, {
    ...wanted,
    hash: hashApiKey(challenge),
    expiresAt: clock.now() + CHALLENGE_MILLISECONDS,
  })
  return challenge
}

/** What a browser is told to make a passkey with. */
export async function askToMake(ctx: StoreCtx, party: RelyingParty, person: Person): Promise<JsonObject> {
  const there = await listPasskeys(ctx.db, person.email)
  const userHandle = there[0]?.userHandle ?? toText(ctx.random.bytes(HANDLE_BYTES))
  const challenge = await makeChallenge(ctx, { purpose: 'enrol', boundTo: person.sessionId, userHandle })
  return {
    challenge,
    rp: { id: party.id, name: `nano-gateway at ${party.id}` },
    user: { id: userHandle, name: person.email, displayName: person.email },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: there.map(toDescriptor),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
    timeout: CHALLENGE_MILLISECONDS,
  }
}

const toDescriptor = ({ credentialId }: { credentialId: string }) => ({ type: 'public-key', id: credentialId })

/** What a browser is told to sign with a passkey of anybody: who it is shows in the answer. */
export async function askToSignIn(ctx: StoreCtx, party: RelyingParty, browser: string): Promise<JsonObject> {
  const challenge = await makeChallenge(ctx, { purpose: 'sign-in', boundTo: hashApiKey(browser), userHandle: null })
  return toSign(party, challenge, [])
}

/** The same with a passkey of who is signed in. */
export async function askToProve(ctx: StoreCtx, party: RelyingParty, person: Person): Promise<JsonObject> {
  const challenge = await makeChallenge(ctx, { purpose: 'prove', boundTo: person.sessionId, userHandle: null })
  return toSign(party, challenge, (await listPasskeys(ctx.db, person.email)).map(toDescriptor))
}

const toSign = (party: RelyingParty, challenge: string, allowCredentials: JsonObject[]): JsonObject => ({
  challenge,
  rpId: party.id,
  allowCredentials,
  userVerification: 'required',
  timeout: CHALLENGE_MILLISECONDS,
})

/** What was signed, if it was asked of whoever brings it, and is brought for the first time; whatever else comes of it. */
export async function findAsked(
  { db, clock }: StoreCtx,
  clientDataJSON: string,
  by: Pick<Wanted, 'purpose' | 'boundTo'>,
): Promise<{ challenge: string; userHandle: string | null } | undefined> {
  const challenge = challengeOf(clientDataJSON)
  if (challenge === undefined) return undefined
  const taken = await takeChallenge(db, { ...by, hash: hashApiKey(challenge), now: clock.now() })
  return taken && { challenge, ...taken }
}

function challengeOf(clientDataJSON: string): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : undefined
  } catch {
    // No JSON, and so nothing that was asked for.
    return undefined
  }
}

const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
