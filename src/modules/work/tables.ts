/** Work that was found. It costs nothing to give away again. */
interface WorksTable {
  root: string
  work: string
  /** What the work is worth, as 16 hexadecimal digits, which sort like numbers. */
  value: string
  /** The account whose next block has this root, where that is known. */
  account: string | null
  created_at: number
  /** 1 until a caller asks for it. */
  prepared: number
  expires_at: number
}

export interface WorkTables {
  works: WorksTable
}

/** In an order in which references are already there. */
export const WORK_TABLES = ['works'] as const satisfies readonly (keyof WorkTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends WorkTables {}
}
