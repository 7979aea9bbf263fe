/** Actions that a node serves only with `enable_control`. Without it, a node answers `RPC control is disabled`. */
export const CONTROL_ACTIONS: ReadonlySet<string> = new Set(
  `account_create account_move account_remove account_representative_set accounts_create backoff_info block_create
  bootstrap_lazy database_txn_tracker epoch_upgrade keepalive ledger node_id password_change populate_backlog receive
  receive_minimum receive_minimum_set search_pending search_receivable search_pending_all search_receivable_all send stop
  unchecked_clear unopened wallet_add wallet_add_watch wallet_change_seed wallet_create wallet_destroy wallet_lock
  wallet_representative_set wallet_republish wallet_seed wallet_work_get work_cancel work_generate work_get work_set
  work_peer_add work_peers work_peers_clear`.split(/\s+/),
)

export const CONTROL_IS_DISABLED = 'RPC control is disabled'
