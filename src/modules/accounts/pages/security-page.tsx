import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Confirmed, Form, FormError, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card, Copyable, Empty, Moment, Table } from '../../../web/dashboard/show.tsx'
import type { Passkey } from '../passkeys/passkeys-store.ts'
import { PasskeyPart } from './passkey-button.tsx'

interface SecurityPageProps {
  frame: FrameProps
  filled: FormState
  /** Undefined for who has signed in with a key. */
  email: string | undefined
  passkeys: readonly Passkey[]
  codesLeft: number
  /** Whether a mail opens for them. */
  mailOpens: boolean
  /** Whether the account lets people with passkeys sign in by mail. */
  mailAllowed: boolean
  /** Whether they must have one, and have none. */
  mustEnrol: boolean
  /** Where passkeys work; undefined where they do not. */
  origin: string | undefined
}

const AT = '/dashboard/security'

const Row = ({ frame, passkey, filled }: { frame: FrameProps; passkey: Passkey; filled: FormState }) => {
  const about = `passkey ${passkey.name}`
  const field = `name-${passkey.id}`
  return (
    <tr>
      <td class="title-cell">{passkey.name}</td>
      <td>
        <Moment at={passkey.createdAt} />
      </td>
      <td>
        <Moment at={passkey.lastUsedAt} />
      </td>
      <td>
        <div class="actions">
          <Confirmed ask="Rename" about={about}>
            <Form frame={frame} action={`${AT}/passkeys/${passkey.id}/name`}>
              <TextField
                filled={{ ...filled, values: { [field]: passkey.name, ...filled.values } }}
                name={field}
                label="Name"
                maxLength={60}
                required
              />
              <button class="plain">Save the name</button>
            </Form>
          </Confirmed>
          <Confirmed ask="Remove" about={about} kind="danger">
            <p>It opens nothing any more, at once.</p>
            <ActionButton frame={frame} action={`${AT}/passkeys/${passkey.id}/remove`} about={about} kind="danger">
              Remove now
            </ActionButton>
          </Confirmed>
        </div>
      </td>
    </tr>
  )
}

const Passkeys = ({ frame, passkeys, filled }: SecurityPageProps) => (
  <Card title="Your passkeys">
    {passkeys.length === 0 ? (
      <Empty title="No passkeys yet">
        <p>
          A passkey lies on your phone, computer or security key and opens with your finger, face or PIN. Nobody can
          read it in a mail, and no other site gets it.
        </p>
      </Empty>
    ) : (
      <Table label="Passkeys" head={['Name', 'Added', 'Last used', <span class="unseen">Actions</span>]}>
        {passkeys.map((passkey) => (
          <Row key={passkey.id} frame={frame} passkey={passkey} filled={filled} />
        ))}
      </Table>
    )}
  </Card>
)

const Add = ({ frame, filled, origin }: SecurityPageProps) => (
  <Card title="Add a passkey" id="add">
    {origin === undefined ? (
      <p>Passkeys need the gateway to have an https address with a name; its operator sets it.</p>
    ) : (
      <PasskeyPart options="/api/passkeys/options" origin={origin}>
        <Form frame={frame} action={`${AT}/passkeys`}>
          <input type="hidden" name="credential" value="" />
          <TextField
            filled={filled}
            name="name"
            label="Name"
            hint="Where it lies, for instance My phone."
            maxLength={60}
            required
          />
          <button>Add a passkey</button>
        </Form>
      </PasskeyPart>
    )}
  </Card>
)

const Codes = ({ frame, codesLeft }: SecurityPageProps) => (
  <Card title="Recovery codes">
    <p>{`Each signs you in once when you have lost your passkeys. You have ${codesLeft} left.`}</p>
    <Confirmed ask="Make new codes">
      <p>You get ten. Those you have open nothing any more.</p>
      <ActionButton frame={frame} action={`${AT}/codes`}>
        Make them now
      </ActionButton>
    </Confirmed>
  </Card>
)

const Mail = ({ frame, mailOpens, mailAllowed, passkeys }: SecurityPageProps) => (
  <Card title="Sign-in by mail">
    <p>
      {mailOpens
        ? 'A link in a mail signs you in.'
        : 'A mail opens nothing for you: you sign in by passkey, or with a recovery code.'}
      {mailOpens && passkeys.length === 0 && ' With your first passkey that ends, unless your accounts allow it.'}
    </p>
    {frame.opens('POST', `${AT}/mail`) && (
      <>
        <p>
          {mailAllowed
            ? 'This account allows it to people who have passkeys, as far as its operator does.'
            : 'This account does not allow it to people who have passkeys.'}
        </p>
        <ActionButton frame={frame} action={`${AT}/mail`} values={{ allowed: mailAllowed ? 'no' : 'yes' }}>
          {mailAllowed ? 'Allow passkeys only' : 'Allow mail as well'}
        </ActionButton>
      </>
    )}
  </Card>
)

const leadOf = ({ email, mustEnrol }: SecurityPageProps) => {
  if (mustEnrol) return 'Here everybody has a passkey. Add yours to go on.'
  return email === undefined ? 'You have signed in with a key, which has no passkeys.' : `How you sign in as ${email}.`
}

/** How a person signs in: their passkeys and recovery codes. */
export const SecurityPage = (props: SecurityPageProps) => {
  const { frame, filled, email, passkeys, mustEnrol } = props
  const fields = ['name', ...passkeys.map(({ id }) => `name-${id}`)]
  return (
    <Frame {...frame} title="Sign-in" lead={leadOf(props)} scripts={['passkeys.js']}>
      <FormError filled={filled} fields={fields} />
      {email !== undefined && !mustEnrol && <Passkeys {...props} />}
      {email !== undefined && <Add {...props} />}
      {passkeys.length > 0 && <Codes {...props} />}
      {!mustEnrol && <Mail {...props} />}
    </Frame>
  )
}

/** The only time that recovery codes can be read. */
export const CodesPage = ({ frame, codes }: { frame: FrameProps; codes: readonly string[] }) => (
  <Frame {...frame} title="Your recovery codes" lead="Each signs you in once, when you have lost your passkeys.">
    <Card>
      <div class="secret">
        <ul class="codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <Copyable text={codes.join('\n')} shown="All of them" label="recovery codes" />
      </div>
      <p>
        <strong>Keep them now</strong>, printed or in a safe place that is not this device. They are shown this once; we
        keep only their fingerprints.
      </p>
      <p>
        <a class="button" href={AT}>
          I have kept them
        </a>
      </p>
    </Card>
  </Frame>
)
