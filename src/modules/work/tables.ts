declare module '../../kernel/db.ts' {
  interface Tables {
    /** Work that was found, kept because giving it out again costs nothing. */
    works: {
      root: string
      work: string
      /** The value of the work as 16 hexadecimal digits, which sort like numbers. */
      value: string
      /** The account whose next block has this root, if known. */
      account: string | null
      created_at: number
      /** 1 for prepared work until a caller requests it. */
      prepared: number
      expires_at: number
    }
  }
}

/** Ordered so that every table comes after the tables that it refers to. */
export const WORK_TABLES = ['works'] as const
