/** How often a representative was seen online on a day. The account `*` counts how often anybody looked. */
export interface RepDaysTable {
  account: string
  /** Days since 1970. */
  day: number
  online: number
}
