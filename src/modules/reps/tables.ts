/** How often a representative was found online on a day. The account `*` counts the checks. */
interface RepDaysTable {
  account: string
  /** Days since 1970. */
  day: number
  online: number
}

export interface RepresentativeTables {
  rep_days: RepDaysTable
}

/** Ordered so that every table comes after the tables that it refers to. */
export const REPRESENTATIVE_TABLES = ['rep_days'] as const satisfies readonly (keyof RepresentativeTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends RepresentativeTables {}
}
