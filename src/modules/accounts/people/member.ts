import { answer } from '../../../kernel/answers.ts'
import { badField } from '../../../kernel/errors.ts'
import { field, id, isoTime, isoTimeOrNone, kept } from '../../../kernel/resource/fields.ts'
import { type RecordOf, type RowOf, entity } from '../../../kernel/resource/resource.ts'
import { ROLES, type Role } from '../../../kernel/rights.ts'
import { readEmail } from '../email-field.ts'

const ROLE = answer.words(...ROLES)

/** The description of each role. */
export const MEANINGS: Record<Role, string> = {
  owner: 'Owner: everything',
  manager: 'Manager: everything except owners',
  developer: 'Developer: keys, webhooks and view access',
  cashier: 'Cashier: point of sale only',
  reader: 'Reader: view only',
}

declare module '../../../kernel/resource/field.ts' {
  interface Rules {
    /** The roles that the user may assign. */
    roles: readonly Role[]
  }
}

/** A member of an account, or an invited person while `joinedAt` is null. */
export const member = entity({
  table: 'members',
  owner: 'accountId',
  key: ['id'],
  fields: {
    id: id(),
    accountId: id({ isHidden: true }),
    email: field<string>({
      isRequired: true,
      set: 'once',
      personal: true,
      example: 'bob@example.com',
      schema: answer.text,
      takes: answer.text,
      control: { as: 'text', type: 'email', label: 'Email' },
      read: (value, { path }) => readEmail({ [path]: value }),
    }),
    role: field<Role>({
      isRequired: true,
      personal: 'no: one of five words',
      example: 'developer',
      schema: ROLE,
      takes: ROLE,
      control: {
        as: 'choice',
        label: 'Role',
        options: ({ roles = ROLES }) => roles.map((role) => [role, MEANINGS[role]] as const),
      },
      read(value, { path }) {
        const known = ROLES.find((one) => one === value)
        if (known === undefined) throw badField(path, `${path} must be one of ${ROLES.join(', ')}.`)
        return known
      },
    }),
    invitedBy: kept<string | null>({ schema: answer.text, column: 'string | null', isHidden: true }),
    invitedAt: isoTime(),
    /** Until when an invitation can be accepted; null for someone who was not invited. */
    expiresAt: isoTimeOrNone(),
    joinedAt: isoTimeOrNone(),
    endedAt: isoTimeOrNone({ isHidden: true }),
    /** Sessions that began before this time have ended, except the one that was kept. */
    signedOutAt: isoTimeOrNone({ isHidden: true }),
    keptSession: kept<string | null>({ schema: answer.text, column: 'string | null', isHidden: true }),
  },
  derived: {
    status: {
      as: answer.words('active', 'invited', 'expired'),
      from: (each, { now }: { now: number }) => statusOf(each, now),
    },
  },
})

export type Member = RecordOf<typeof member.fields>
export type MemberColumns = RowOf<typeof member.fields>

interface Stands {
  joinedAt: number | null
  expiresAt: number | null
}

export const statusOf = ({ joinedAt, expiresAt }: Stands, now: number): 'active' | 'invited' | 'expired' =>
  joinedAt !== null ? 'active' : expiresAt! > now ? 'invited' : 'expired'
