package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
)

const ageSecondsMax = 300

// verifyWebhook checks that a webhook comes from your gateway. Give it the body exactly as it arrived, and the three headers.
func verifyWebhook(rawBody []byte, id, timestamp, signatures, secret string, now int64) error {
	at, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || at < now-ageSecondsMax || at > now+ageSecondsMax {
		return errors.New("The webhook is too old, or from the future.")
	}
	mac := hmac.New(sha256.New, keyOf(secret))
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(rawBody)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	// While a secret is being replaced, the header has one signature for the old secret and one for the new.
	for _, given := range strings.Split(signatures, " ") {
		if hmac.Equal(expected, []byte(given)) {
			return nil
		}
	}
	return errors.New("The signature of the webhook is wrong.")
}

// keyOf: a secret that begins with whsec_ contains a key in base64; any other secret is the key itself.
func keyOf(secret string) []byte {
	if strings.HasPrefix(secret, "whsec_") {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err == nil && len(key) >= 24 && len(key) <= 64 {
			return key
		}
	}
	return []byte(secret)
}
