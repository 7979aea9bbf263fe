import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { ROLES, type Role } from '../../../kernel/rights.ts'
import { ActionButton, Confirmed, Form, FormError, SelectField, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Badge, Card, Empty, Moment, Table } from '../../../web/dashboard/show.tsx'
import type { Member } from '../people/members-store.ts'

/** The description of each role. */
const MEANINGS: Record<Role, string> = {
  owner: 'Owner: everything',
  manager: 'Manager: everything except owners',
  developer: 'Developer: keys, webhooks and view access',
  cashier: 'Cashier: point of sale only',
  reader: 'Reader: view only',
}

export interface PersonRow extends Member {
  status: 'active' | 'invited' | 'expired'
  isSelf: boolean
  /** Whether the user may change this person. */
  mayChange: boolean
}

interface PeoplePageProps {
  frame: FrameProps
  filled: FormState
  people: readonly PersonRow[]
  /** The roles that the user may assign. */
  roles: readonly Role[]
  mayOwners: boolean
}

const optionsOf = (roles: readonly Role[]) => roles.map((role) => [role, MEANINGS[role]] as const)

const Row = ({
  frame,
  row,
  roles,
  mayOwners,
}: Pick<PeoplePageProps, 'frame' | 'roles' | 'mayOwners'> & { row: PersonRow }) => {
  const at = `/dashboard/people/${row.id}`
  const isThere = row.status === 'active'
  return (
    <tr>
      <td class="title-cell">
        {row.email}
        {row.isSelf && <span class="under">you</span>}
      </td>
      <td>{row.role}</td>
      <td>
        <Badge state={row.status} />
        {row.status === 'invited' && (
          <span class="under">
            until <Moment at={row.expiresAt} />
          </span>
        )}
      </td>
      <td>{row.joinedAt !== null && <Moment at={row.joinedAt} />}</td>
      <td>
        {row.mayChange && (
          <div class="actions">
            <Confirmed ask="Role" about={`of ${row.email}`}>
              <Form frame={frame} action={`${at}/role`} label={`Role of ${row.email}`}>
                <SelectField
                  filled={{ values: { [`role-${row.id}`]: row.role } }}
                  name={`role-${row.id}`}
                  label="Role"
                  required
                  options={optionsOf(roles)}
                />
                <button class="plain">Change</button>
              </Form>
            </Confirmed>
            {isThere && mayOwners && !row.isSelf && (
              <Confirmed ask="Hand over" about={`to ${row.email}`} kind="danger">
                <p>They become the owner of this account and you become a manager.</p>
                <ActionButton frame={frame} action={`${at}/owner`} kind="danger" about={`to ${row.email}`}>
                  Hand over now
                </ActionButton>
              </Confirmed>
            )}
            <Confirmed ask={isThere ? 'Remove' : 'Withdraw'} about={row.email} kind="danger">
              <p>
                {isThere
                  ? 'They are signed out immediately, and keys they made stop working. Rotate the ones you need first: a key you rotate becomes yours.'
                  : 'The invitation can no longer be accepted.'}
              </p>
              <ActionButton frame={frame} action={`${at}/remove`} kind="danger" about={row.email}>
                {isThere ? 'Remove now' : 'Withdraw now'}
              </ActionButton>
            </Confirmed>
          </div>
        )}
      </td>
    </tr>
  )
}

export const PeoplePage = ({ frame, filled, people, roles, mayOwners }: PeoplePageProps) => (
  <Frame
    {...frame}
    title="People"
    lead={
      <>
        Manage who has access and what they can do. <a href="/docs/people">About roles</a>
      </>
    }
  >
    <FormError filled={filled} fields={['email', 'role']} />
    <Card>
      {people.length === 0 ? (
        <Empty title="No members yet">
          <p>Invite someone below. Owners sign in by email and can do everything.</p>
        </Empty>
      ) : (
        <Table label="People" head={['Address', 'Role', 'Status', 'Since', <span class="unseen">Actions</span>]}>
          {people.map((row) => (
            <Row key={row.id} frame={frame} row={row} roles={roles} mayOwners={mayOwners} />
          ))}
        </Table>
      )}
    </Card>
    <Card title="Invite" id="invite" note="We email an invitation that can be accepted within seven days.">
      <Form frame={frame} action="/dashboard/people">
        <TextField filled={filled} name="email" label="Email" type="email" required />
        <SelectField
          filled={
            filled.values.role === undefined ? { ...filled, values: { ...filled.values, role: 'reader' } } : filled
          }
          name="role"
          label="Role"
          required
          options={optionsOf(ROLES.filter((role) => roles.includes(role)))}
        />
        <button>Invite</button>
      </Form>
    </Card>
  </Frame>
)
