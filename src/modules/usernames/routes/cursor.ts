interface Position {
  createdAt: number
  key: string
}

/** Where a list of names goes on: behind this one. */
export const toCursor = ({ createdAt, key }: Position) => `${createdAt}-${key}`

export function readCursor(text = ''): Position | undefined {
  const [, createdAt, key] = /^(\d{1,15})-([a-z0-9]{1,30})$/.exec(text) ?? []
  return createdAt === undefined ? undefined : { createdAt: Number(createdAt), key: key! }
}
