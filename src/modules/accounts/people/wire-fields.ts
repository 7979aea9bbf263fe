import { AppError } from '../../../kernel/errors.ts'
import { ROLES, type Role } from '../../../kernel/roles.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import type { Member } from './members-store.ts'

export function readRole({ role }: Readonly<Record<string, unknown>>): Role {
  const known = ROLES.find((one) => one === role)
  if (known === undefined) {
    throw new AppError('invalid_request', `role must be one of ${ROLES.join(', ')}.`, { body: { field: 'role' } })
  }
  return known
}

const toTime = (milliseconds: number | null) => (milliseconds === null ? null : new Date(milliseconds).toISOString())

export const statusOf = ({ joinedAt, expiresAt }: Member, now: number): 'active' | 'invited' | 'expired' =>
  joinedAt !== null ? 'active' : expiresAt! > now ? 'invited' : 'expired'

export function showMember(member: Member, now: number): JsonObject {
  const { id, email, role, invitedAt, expiresAt, joinedAt } = member
  return {
    id,
    email,
    role,
    status: statusOf(member, now),
    invited_at: toTime(invitedAt),
    expires_at: toTime(expiresAt),
    joined_at: toTime(joinedAt),
  }
}
