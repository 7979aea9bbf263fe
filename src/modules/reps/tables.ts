/** How often a representative was seen online on a day. The account `*` counts how often anybody looked. */
interface RepDaysTable {
  account: string
  /** Days since 1970. */
  day: number
  online: number
}

export interface RepresentativeTables {
  rep_days: RepDaysTable
}

/** In an order in which references are already there. */
export const REPRESENTATIVE_TABLES = ['rep_days'] as const satisfies readonly (keyof RepresentativeTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends RepresentativeTables {}
}
