declare module '../../kernel/db.ts' {
  interface Tables {
    /** How often a representative was found online on a day. The account `*` counts the checks. */
    rep_days: {
      account: string
      /** Days since 1970. */
      day: number
      online: number
    }
  }
}

/** Ordered so that every table comes after the tables that it refers to. */
export const REPRESENTATIVE_TABLES = ['rep_days'] as const
