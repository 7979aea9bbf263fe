// Takes webhooks of a gateway for a shop whose orders are in a file: {"A-1": {"amount_raw": "1500…"}}. Put your own database in the place of
// the file; keep the order of the checks. Run it with `go run receiver.go verify_webhook.go`.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"os"
	"sync"
	"time"
)

type event struct {
	ID         string `json:"id"`
	Type       string `json:"type"`
	CheckoutID string `json:"checkout_id"`
	Payment    struct {
		AmountRaw string `json:"amount_raw"`
	} `json:"payment"`
	Block struct {
		Hash      string `json:"hash"`
		Confirmed string `json:"confirmed"`
	} `json:"block"`
	Metadata struct {
		Order string `json:"order"`
	} `json:"metadata"`
}

type order struct {
	AmountRaw string `json:"amount_raw"`
	PaidBy    string `json:"paid_by,omitempty"`
}

const bodyBytesMax = 1_000_000

var (
	orders   = setting("ORDERS", "orders.json")
	oneByOne sync.Mutex
)

// take marks the order as paid, once, and returns a line for the log.
func take(received event) (string, error) {
	if received.Type != "payment.completed" {
		return received.Type + ": nothing to do", nil
	}
	oneByOne.Lock()
	defer oneByOne.Unlock()
	text, err := os.ReadFile(orders)
	if err != nil {
		return "", err
	}
	var all map[string]*order
	if err := json.Unmarshal(text, &all); err != nil {
		return "", err
	}
	number := received.Metadata.Order
	wanted := all[number]
	if wanted == nil {
		return fmt.Sprintf("%s: no such order, checkout %s", received.ID, received.CheckoutID), nil
	}
	if wanted.PaidBy != "" {
		return fmt.Sprintf("%s: %s is paid already", received.ID, number), nil
	}
	paid, isNumber := new(big.Int).SetString(received.Payment.AmountRaw, 10)
	price, isPrice := new(big.Int).SetString(wanted.AmountRaw, 10)
	if !isNumber || !isPrice || paid.Cmp(price) < 0 || received.Block.Confirmed != "true" {
		return fmt.Sprintf("%s: %s was not paid in full, look at it", received.ID, number), nil
	}
	wanted.PaidBy = received.Block.Hash
	if text, err = json.Marshal(all); err != nil {
		return "", err
	}
	if err := os.WriteFile(orders+".new", text, 0o600); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: %s is paid", received.ID, number), os.Rename(orders+".new", orders)
}

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, bodyBytesMax))
	if err != nil {
		http.Error(response, "The body is too long.", http.StatusRequestEntityTooLarge)
		return
	}
	header := request.Header.Get
	secret := os.Getenv("WEBHOOK_SECRET")
	err = verifyWebhook(body, header("webhook-id"), header("webhook-timestamp"), header("webhook-signature"), secret, time.Now().Unix())
	var received event
	if err == nil {
		err = json.Unmarshal(body, &received)
	}
	if err != nil {
		http.Error(response, err.Error(), http.StatusUnauthorized)
		return
	}
	line, err := take(received)
	if err != nil {
		// With this status the gateway tries again.
		http.Error(response, "The order could not be written.", http.StatusInternalServerError)
		log.Print(err)
		return
	}
	fmt.Println(line)
	response.WriteHeader(http.StatusNoContent)
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	log.Fatal(http.ListenAndServe("127.0.0.1:"+setting("PORT", "3000"), http.HandlerFunc(receive)))
}
