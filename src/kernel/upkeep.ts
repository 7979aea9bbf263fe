/** A job as administrators see it, without what it carries. */
export interface ShownJob {
  id: string
  kind: string
  status: string
  attempts: number
  runAt: number
  lastError: string | null
}

/** A mail that was kept in the store instead of sent. */
export interface KeptMail {
  id: string
  recipient: string
  subject: string
  text: string
  createdAt: number
}
