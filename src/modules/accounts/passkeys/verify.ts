import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Passkey } from './passkeys-store.ts'
import type { RelyingParty } from './relying-party.ts'

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
export async function verifySigned(
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
