export interface StoreFactsTable {
  name: string
  value: string
  created_at: number
}
