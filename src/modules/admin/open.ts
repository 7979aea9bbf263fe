import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Module } from '../../kernel/module.ts'
import { administrationPages } from './routes/administration.tsx'
import { adminRoutes } from './routes/api.ts'
import { overviewPages } from './routes/overview.tsx'

type AdminPorts = { store: StoreCtx } & Parameters<typeof administrationPages>[0] &
  Parameters<typeof adminRoutes>[0] &
  Parameters<typeof overviewPages>[0]

/** What the gateway does and how it stands, for its people. */
export const openAdmin = (ports: AdminPorts): Module => ({
  name: 'admin',
  routes: adminRoutes(ports),
  pages: [...overviewPages(ports), ...administrationPages(ports)],
})
