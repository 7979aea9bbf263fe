import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { hashApiKey } from '../../../kernel/api-key.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { isLoopback } from '../../../kernel/loopback.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { countAsking } from '../domain/count-asking.ts'
import { badPasskey, noPasskeysHere, tooManyTries } from './errors.ts'
import type { Person } from './policy.ts'
import {
  type Challenge,
  type Passkey,
  deleteChallengesOf,
  findByCredential,
  insertChallenge,
  listPasskeys,
  markPasskeyUsed,
  takeChallenge,
} from './store.ts'

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

const HOUR = 3_600_000
const TRIES_AN_HOUR = 30

interface Signed {
  response: AuthenticationResponseJSON
  party: RelyingParty
  /** Who brings it: somebody who is signed in, or a browser. */
  by: { sessionId: string; email: string } | { browser: string }
}

/** A passkey that has signed what was asked, and what its device has counted. */
interface Used {
  passkey: Passkey
  counter: number
}

/** Whose passkey has signed what was asked of this very session or browser. Everything else is refused in the same words. */
export async function takeSigned(ctx: StoreCtx, { response, party, by }: Signed): Promise<Used> {
  const isSession = 'sessionId' in by
  const { clientDataJSON, userHandle } = response.response
  const asked = await findAsked(ctx, clientDataJSON, {
    purpose: isSession ? 'prove' : 'sign-in',
    boundTo: isSession ? by.sessionId : hashApiKey(by.browser),
  })
  const passkey = asked && (await findByCredential(ctx.db, response.id))
  if (!passkey) throw badPasskey()
  // Who is not signed in is known by what their device says alone, so that it must say it.
  const isTheirs = isSession ? passkey.email === by.email : userHandle === passkey.userHandle
  if (!isTheirs) throw badPasskey()
  const { email } = passkey
  await countAsking(ctx, { who: `passkey ${email}`, places: TRIES_AN_HOUR, within: HOUR, refuse: tooManyTries })
  try {
    return { passkey, counter: await verifySigned(response, { passkey, challenge: asked.challenge, party }) }
  } catch (error) {
    throw badPasskey(error)
  }
}

/** Call it in the transaction of what it opens: of two who bring the same one wins. */
export async function countUse({ db, clock }: StoreCtx, { passkey: { id }, counter }: Used): Promise<void> {
  if (!(await markPasskeyUsed(db, { id, counter, now: clock.now() }))) throw badPasskey()
}

/** Loaded when somebody first brings a passkey: a start does not wait for it. */
const load = async () => ({
  ...(await import('@simplewebauthn/server')),
  ...(await import('@simplewebauthn/server/helpers')),
})

interface Expected {
  challenge: string
  party: RelyingParty
}

/** A new passkey, as its device has made it. */
export type Made = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter'>

/**
 * Reads a new passkey, or throws. Who made the device is not asked: a statement with certificates is refused unread, because reading one
 * asks addresses that stand in it.
 */
export async function verifyMade(response: RegistrationResponseJSON, { challenge, party }: Expected): Promise<Made> {
  const { verifyRegistrationResponse, decodeAttestationObject, isoBase64URL } = await load()
  const object = decodeAttestationObject(isoBase64URL.toBuffer(response.response.attestationObject))
  const isPlain = object.get('fmt') === 'none'
  const isOwn = object.get('fmt') === 'packed' && object.get('attStmt').get('x5c') === undefined
  if (!isPlain && !isOwn) throw new Error('The passkey came with certificates that were not asked for.')
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
  })
  if (!verified) throw new Error('The passkey does not hold.')
  const { id, publicKey, counter } = registrationInfo.credential
  return { credentialId: id, publicKey: isoBase64URL.fromBuffer(publicKey), counter }
}

/** What the device says it has counted, once its signature holds; throws otherwise. */
async function verifySigned(
  response: AuthenticationResponseJSON,
  { passkey, challenge, party }: Expected & { passkey: Passkey },
): Promise<number> {
  const { verifyAuthenticationResponse, isoBase64URL } = await load()
  const { credentialId: id, publicKey, counter } = passkey
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    credential: { id, publicKey: isoBase64URL.toBuffer(publicKey), counter },
  })
  if (!verified) throw new Error('The signature does not hold.')
  return authenticationInfo.newCounter
}

/** What browsers bind a passkey to. */
export interface RelyingParty {
  id: string
  origin: string
}

/**
 * The name that passkeys of a gateway belong to; undefined where browsers know none: they want a name with https. This machine alone needs
 * neither, under the name `localhost`.
 */
export function relyingPartyOf(baseUrl: string): RelyingParty | undefined {
  const { protocol, hostname, port, origin } = new URL(baseUrl)
  if (isLoopback(hostname) && !hostname.endsWith('.localhost')) {
    return { id: 'localhost', origin: `${protocol}//localhost${port === '' ? '' : `:${port}`}` }
  }
  if (protocol !== 'https:' || isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0) return undefined
  return { id: hostname, origin }
}

export function partyAt(baseUrl: string): RelyingParty {
  const party = relyingPartyOf(baseUrl)
  if (!party) throw noPasskeysHere()
  return party
}
