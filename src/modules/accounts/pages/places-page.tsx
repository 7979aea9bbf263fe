import type { ComponentChildren } from 'preact'
import type { FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Confirmed } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Badge, Card, Moment, Table } from '../../../web/dashboard/show.tsx'
import type { Member } from '../people/member.ts'

/** An account of which the user is a member, or to which they are invited. */
export interface PlaceRow {
  member: Member
  label: string
  isHere: boolean
  isSuspended: boolean
}

interface PlacesPageProps {
  frame: FrameProps
  /** Undefined for a user who signed in with a key. */
  email: string | undefined
  places: readonly PlaceRow[]
  failed?: string | undefined
  children?: ComponentChildren
}

const at = ({ member }: PlaceRow, what: string) => `/dashboard/accounts/${member.id}/${what}`

const Invitation = ({ frame, row }: { frame: FrameProps; row: PlaceRow }) => (
  <Card title={`Invitation to ${row.label}`}>
    <p>
      As {row.member.role}, until <Moment at={row.member.expiresAt} />.
    </p>
    <div class="actions">
      <ActionButton frame={frame} action={at(row, 'accept')} kind="main" about={`the invitation to ${row.label}`}>
        Accept
      </ActionButton>
      <ActionButton frame={frame} action={at(row, 'leave')} about={`the invitation to ${row.label}`}>
        Decline
      </ActionButton>
    </div>
  </Card>
)

const Row = ({ frame, row }: { frame: FrameProps; row: PlaceRow }) => (
  <tr>
    <td class="title-cell">{row.label}</td>
    <td>{row.member.role}</td>
    <td>{row.isHere ? <Badge state="here" /> : row.isSuspended && <Badge state="suspended" />}</td>
    <td>
      <div class="actions">
        {!row.isHere && !row.isSuspended && (
          <ActionButton frame={frame} action={at(row, 'open')} about={row.label}>
            Open
          </ActionButton>
        )}
        <Confirmed ask="Leave" about={row.label} kind="danger">
          <p>
            You lose access immediately, and keys you made here stop working. You need a new invitation to come back.
          </p>
          <ActionButton frame={frame} action={at(row, 'leave')} kind="danger" about={row.label}>
            Leave now
          </ActionButton>
        </Confirmed>
      </div>
    </td>
  </tr>
)

/** The user's accounts and invitations. */
export const PlacesPage = ({ frame, email, places, failed, children }: PlacesPageProps) => {
  const joined = places.filter(({ member }) => member.joinedAt !== null)
  const invited = places.filter(({ member }) => member.joinedAt === null)
  return (
    <Frame
      {...frame}
      {...(failed !== undefined && { notice: { kind: 'failed', text: failed } as const })}
      title="Your accounts"
      lead={
        email === undefined ? (
          <>
            You are signed in with an API key. <a href="/dashboard/sign-in">Sign in by email</a> to see all your
            accounts.
          </>
        ) : (
          `You are signed in as ${email}.`
        )
      }
    >
      {invited.map((row) => (
        <Invitation key={row.member.id} frame={frame} row={row} />
      ))}
      {joined.length > 0 && (
        <Card title="Your accounts">
          <Table label="Your accounts" head={['Account', 'Role', 'Status', <span class="unseen">Actions</span>]}>
            {joined.map((row) => (
              <Row key={row.member.id} frame={frame} row={row} />
            ))}
          </Table>
        </Card>
      )}
      {email !== undefined && joined.length === 0 && (
        <Card title="Create your own account">
          <p>You do not need one to work in other people’s accounts.</p>
          <ActionButton frame={frame} action="/dashboard/accounts/new">
            Open one
          </ActionButton>
        </Card>
      )}
      {children}
    </Frame>
  )
}
