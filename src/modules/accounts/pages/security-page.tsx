import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Confirmed, Form, FormError, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card, Copyable, Empty, Moment, Table } from '../../../web/dashboard/show.tsx'
import type { Passkey } from '../passkeys/store.ts'
import { PasskeyPart } from './passkey-button.tsx'

interface SecurityPageProps {
  frame: FrameProps
  filled: FormState
  /** Undefined for a user who signed in with a key. */
  email: string | undefined
  passkeys: readonly Passkey[]
  codesLeft: number
  /** Whether this user can sign in by mail. */
  mailOpens: boolean
  /** Whether the account lets people with passkeys sign in by mail. */
  mailAllowed: boolean
  /** Whether they must add a passkey and have none. */
  mustEnrol: boolean
  /** The origin at which passkeys work; undefined where they are not available. */
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
              <button class="plain">Save name</button>
            </Form>
          </Confirmed>
          <Confirmed ask="Remove" about={about} kind="danger">
            <p>It stops working immediately.</p>
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
          A passkey is stored on your phone, computer or security key and unlocked with your fingerprint, face or PIN.
          It cannot be phished or intercepted by email.
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
      <p>Passkeys need an https URL with a domain name. Ask the operator to set BASE_URL.</p>
    ) : (
      <PasskeyPart options="/api/passkeys/options" origin={origin}>
        <Form frame={frame} action={`${AT}/passkeys`}>
          <input type="hidden" name="credential" value="" />
          <TextField
            filled={filled}
            name="name"
            label="Name"
            hint="Where it is stored, such as My phone."
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
    <p>{`Each code signs you in once if you lose your passkeys. You have ${codesLeft} left.`}</p>
    <Confirmed ask="Create new codes">
      <p>You get ten new codes. The old ones stop working.</p>
      <ActionButton frame={frame} action={`${AT}/codes`}>
        Create now
      </ActionButton>
    </Confirmed>
  </Card>
)

const Mail = ({ frame, email, mailOpens, mailAllowed, passkeys }: SecurityPageProps) => (
  <Card title="Sign-in by email">
    {email !== undefined && (
      <p>
        {mailOpens
          ? 'You can sign in with a link sent by email.'
          : 'Email sign-in is off. You sign in with a passkey or a recovery code.'}
        {mailOpens && passkeys.length === 0 && ' Adding a passkey turns this off, unless your accounts allow it.'}
      </p>
    )}
    {frame.opens('POST', `${AT}/mail`) && (
      <>
        <p>
          {mailAllowed
            ? 'This account allows it for people with passkeys, if the operator does.'
            : 'This account does not allow it for people with passkeys.'}
        </p>
        <ActionButton frame={frame} action={`${AT}/mail`} values={{ allowed: mailAllowed ? 'no' : 'yes' }}>
          {mailAllowed ? 'Allow passkeys only' : 'Allow email as well'}
        </ActionButton>
      </>
    )}
  </Card>
)

const leadOf = ({ email, mustEnrol }: SecurityPageProps) => {
  if (mustEnrol) return 'This account requires a passkey. Add yours to continue.'
  return email === undefined ? 'You have signed in with a key, which has no passkeys.' : `How you sign in as ${email}.`
}

/** How a user signs in: their passkeys and recovery codes. */
export const SecurityPage = (props: SecurityPageProps) => {
  const { frame, filled, email, passkeys, mustEnrol } = props
  const fields = ['name', ...passkeys.map(({ id }) => `name-${id}`)]
  return (
    <Frame {...frame} title="Security" lead={leadOf(props)} scripts={['passkeys.js']}>
      <FormError filled={filled} fields={fields} />
      {email !== undefined && !mustEnrol && <Passkeys {...props} />}
      {email !== undefined && <Add {...props} />}
      {passkeys.length > 0 && <Codes {...props} />}
      {!mustEnrol && (email !== undefined || frame.opens('POST', `${AT}/mail`)) && <Mail {...props} />}
    </Frame>
  )
}

/** Shows recovery codes for the only time. */
export const CodesPage = ({ frame, codes }: { frame: FrameProps; codes: readonly string[] }) => (
  <Frame {...frame} title="Your recovery codes" lead="Each code signs you in once if you lose your passkeys.">
    <Card>
      <div class="secret">
        <ul class="codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <Copyable text={codes.join('\n')} shown="Copy all codes" label="recovery codes" />
      </div>
      <p>
        <strong>Save them now</strong>, printed or in a safe place that is not this device. You will not see them again;
        we only store their fingerprints.
      </p>
      <p>
        <a class="button" href={AT}>
          I have saved them
        </a>
      </p>
    </Card>
  </Frame>
)
