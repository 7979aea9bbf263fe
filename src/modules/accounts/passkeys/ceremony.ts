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
/** Ed25519, P-256 and RSA; every device supports one of them. */
const ALGORITHMS = [-8, -7, -257]

type Wanted = Pick<Challenge, 'purpose' | 'boundTo' | 'userHandle'>

/** A challenge to sign, valid for five minutes. A new one replaces the old one, so their number is limited by the number of users. */
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

/** The options with which a browser makes a passkey. */
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

/** The options with which a browser signs with any passkey; the answer shows whose it is. */
export async function askToSignIn(ctx: StoreCtx, party: RelyingParty, browser: string): Promise<JsonObject> {
  const challenge = await makeChallenge(ctx, { purpose: 'sign-in', boundTo: hashApiKey(browser), userHandle: null })
  return toSign(party, challenge, [])
}

/** The same with a passkey of the user who is signed in. */
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

/** The challenge that was signed, if it belongs to this session or browser and is used for the first time; it is used up either way. */
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
    // Not JSON, so it contains no challenge of ours.
    return undefined
  }
}

const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

const HOUR = 3_600_000
const TRIES_AN_HOUR = 30

interface Signed {
  response: AuthenticationResponseJSON
  party: RelyingParty
  /** Who presents it: a signed-in user, or a browser. */
  by: { sessionId: string; email: string } | { browser: string }
}

/** A passkey that has signed a challenge, and its device's counter. */
interface Used {
  passkey: Passkey
  counter: number
}

/** The passkey that has signed the challenge of this session or browser. Every other case gets the same error. */
export async function takeSigned(ctx: StoreCtx, { response, party, by }: Signed): Promise<Used> {
  const isSession = 'sessionId' in by
  const { clientDataJSON, userHandle } = response.response
  const asked = await findAsked(ctx, clientDataJSON, {
    purpose: isSession ? 'prove' : 'sign-in',
    boundTo: isSession ? by.sessionId : hashApiKey(by.browser),
  })
  const passkey = asked && (await findByCredential(ctx.db, response.id))
  if (!passkey) throw badPasskey()
  // Before sign-in only the device says who the user is, so the user handle must be present.
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

/** Call it in the transaction of what it allows: of two concurrent uses of one signature, one succeeds. */
export async function countUse({ db, clock }: StoreCtx, { passkey: { id }, counter }: Used): Promise<void> {
  if (!(await markPasskeyUsed(db, { id, counter, now: clock.now() }))) throw badPasskey()
}

/** Loaded at the first use of a passkey, so that the start does not wait for it. */
const load = async () => ({
  ...(await import('@simplewebauthn/server')),
  ...(await import('@simplewebauthn/server/helpers')),
})

interface Expected {
  challenge: string
  party: RelyingParty
}

/** A new passkey as the device made it. */
export type Made = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter'>

/**
 * Verifies a new passkey, or throws. Attestations of the device's maker are not requested, and certificates in one are refused unread,
 * because verifying them would fetch URLs that they contain.
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

/** The device's counter once its signature is verified; throws otherwise. */
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

/** The domain to which browsers bind a passkey. */
export interface RelyingParty {
  id: string
  origin: string
}

/**
 * The domain of a gateway's passkeys; undefined where browsers support none, because they require a domain name with https. Only this machine
 * needs neither, under the name `localhost`.
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
