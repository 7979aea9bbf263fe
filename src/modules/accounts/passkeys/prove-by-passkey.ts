import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { type Person, notePerson } from './person.ts'
import type { RelyingParty } from './relying-party.ts'
import { countUse, takeSigned } from './take-signed.ts'

interface Proof {
  person: Person
  party: RelyingParty
  response: AuthenticationResponseJSON
}

/** Takes a passkey of who is signed in as the proof that it is them, or refuses it. */
export async function proveByPasskey(ctx: StoreCtx, { person, party, response }: Proof): Promise<void> {
  const used = await takeSigned(ctx, { response, party, by: person })
  await inTx(ctx, async (tx) => {
    await countUse(tx, used)
    await notePerson(tx, person, 'account.proved', { by: 'passkey' })
  })
}
