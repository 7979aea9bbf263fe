import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { ROLES } from '../../../kernel/rights.ts'
import { ActionButton, Confirmed, Form, SelectField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Fields, type FieldsProps, Refusals } from '../../../web/dashboard/resource-form.tsx'
import { Badge, Card, Empty, Moment, Table } from '../../../web/dashboard/show.tsx'
import { MEANINGS, type Member, member } from '../people/member.ts'

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
  rules: FieldsProps['rules']
  mayOwners: boolean
  /** Whether there is no mail server. */
  keepsMail: boolean
}

const Row = ({
  frame,
  row,
  rules: { roles = ROLES },
  mayOwners,
}: Pick<PeoplePageProps, 'frame' | 'rules' | 'mayOwners'> & { row: PersonRow }) => {
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
                  options={roles.map((role) => [role, MEANINGS[role]])}
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

export const PeoplePage = ({ frame, filled, people, rules, mayOwners, keepsMail }: PeoplePageProps) => (
  <Frame
    {...frame}
    title="People"
    lead={
      <>
        Manage who has access and what they can do. <a href="/docs/people">About roles</a>
      </>
    }
  >
    <Refusals of={member} purpose="create" filled={filled} />
    <Card>
      {people.length === 0 ? (
        <Empty title="No members yet">
          <p>Invite someone below. Owners sign in by email and can do everything.</p>
        </Empty>
      ) : (
        <Table label="People" head={['Address', 'Role', 'Status', 'Since', <span class="unseen">Actions</span>]}>
          {people.map((row) => (
            <Row key={row.id} frame={frame} row={row} rules={rules} mayOwners={mayOwners} />
          ))}
        </Table>
      )}
    </Card>
    <Card
      title="Invite"
      id="invite"
      note={
        keepsMail
          ? 'This gateway has no mail server. The invitation is kept under Mail, where an administrator can read it and pass it on. It can be accepted within seven days.'
          : 'We email an invitation that can be accepted within seven days.'
      }
    >
      <Form frame={frame} action="/dashboard/people">
        <Fields
          of={member}
          purpose="create"
          filled={{ ...filled, values: { role: 'reader', ...filled.values } }}
          rules={rules}
        />
        <button>Invite</button>
      </Form>
    </Card>
  </Frame>
)
