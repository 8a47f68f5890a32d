package gate

import (
	"strings"
	"testing"
)

// fakeKey makes a key of a shape without writing one into the source, where secret scanners would find it.
func fakeKey(prefix string, n int) string {
	const chars = "aB3dE6gH9jK2mN5pQ8sT1vW4xY7z"
	return prefix + strings.Repeat(chars, n/len(chars)+1)[:n]
}

func TestMask(t *testing.T) {
	t.Parallel()
	upper := func(s string) string { return strings.ToUpper(s) }
	jwt := fakeKey("eyJ", 20) + "." + fakeKey("eyJ", 30) + "." + fakeKey("", 40)
	pem := "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEabc+/=\n-----END RSA " + "PRIVATE KEY-----"
	for _, c := range []struct{ text, want string }{
		{"my key " + upper(fakeKey("AKIA", 16)) + ".", "my key [secret:aws_key]."},
		{fakeKey("ghp_", 36), "[secret:github_token]"},
		{fakeKey("github_pat_", 82) + " here", "[secret:github_token] here"},
		{"(" + fakeKey("glpat-", 20) + ")", "([secret:gitlab_token])"},
		{fakeKey("sk-proj-", 48), "[secret:openai_key]"},
		{fakeKey("sk-", 48), "[secret:openai_key]"},
		{fakeKey("sk-ant-api03-", 90), "[secret:anthropic_key]"},
		{fakeKey("AIza", 35), "[secret:google_key]"},
		{fakeKey("xoxb-", 40), "[secret:slack_token]"},
		{fakeKey("sk_live_", 24), "[secret:stripe_key]"},
		{fakeKey("hf_", 34), "[secret:hugging_face_token]"},
		{"key " + upper(fakeKey("", 26)), "key " + upper(fakeKey("", 26))},
		{"the key is trilith_" + upper(fakeKey("", 26)) + " ok", "the key is [secret:trilith_key] ok"},
		{"cairn_" + strings.Repeat("LETTERSONL", 3)[:26], "[secret:trilith_key]"},
		{"trilith_memories and cairn_vectors are tables", "trilith_memories and cairn_vectors are tables"},
		{"token " + jwt + ", ok", "token [secret:jwt], ok"},
		{"key:\n" + pem + "\nend", "key:\n[secret:private_key]\nend"},
		{"cut off: " + strings.Split(pem, "\n-----END")[0], "cut off: [secret:private_key]"},
		{"Authorization: Bearer " + fakeKey("", 32), "Authorization: Bearer [secret:bearer]"},
		{"postgres://ana:s3cret@db/x", "postgres://ana:[secret:password]@db/x"},

		{"password: hunter2", "password: [secret:password]"},
		{"Password = \"Sommer2024!\" and more", "Password = \"[secret:password]\" and more"},
		{"Mein Passwort ist Sommer2024!", "Mein Passwort ist [secret:password]"},
		{"Das Kennwort lautet Wald7Weg.", "Das Kennwort lautet [secret:password]"},
		{"We changed the wifi password to greenturtle7.", "We changed the wifi password to [secret:password]"},
		{"the password for the guest network is now Wal!fisch", "the password for the guest network is now [secret:password]"},
		{"The router's password's Hunter22, mind you", "The router's password's [secret:password], mind you"},
		{"I reset my Netflix password to 'popc0rn!'", "I reset my Netflix password to '[secret:password]'"},
		{"Das neue WLAN-Passwort heißt jetzt blauwal42", "Das neue WLAN-Passwort heißt jetzt [secret:password]"},
		{"Habe das Kennwort auf Regen5chirm geändert", "Habe das Kennwort auf [secret:password] geändert"},
		{"I set the password for the guest wifi to L0bster!", "I set the password for the guest wifi to [secret:password]"},
		{"my password was changed to s3same.", "my password was changed to [secret:password]"},
		{"my password is correct7horse, ok?", "my password is [secret:password], ok?"},
		{"export DB_PASSWORD=ab12cd34", "export DB_PASSWORD=[secret:password]"},
		{`{"api_key": "` + fakeKey("", 24) + `"}`, `{"api_key": "[secret:api_key]"}`},
		{"API-Schlüssel: " + fakeKey("", 24), "API-Schlüssel: [secret:api_key]"},
		{"VOYAGE_API_KEY=" + fakeKey("pa-", 40), "VOYAGE_API_KEY=[secret:api_key]"},
		{"client_secret: " + fakeKey("", 20), "client_secret: [secret:secret]"},

		{"user: root pass: toor123", "user: root pass: [secret:password]"},
		{"passphrase = correct-horse-battery-staple", "passphrase = [secret:password]"},
		{"Mein PIN ist 2244.", "Mein PIN ist [secret:pin]."},
		{"PIN for the card: 8820", "PIN for the card: [secret:pin]"},
		{"my PIN is now 91827", "my PIN is now [secret:pin]"},
		{"the cvv is 123, exp 12/27", "the cvv is [secret:pin], exp 12/27"},
		{"The seed phrase is: " + strings.Repeat("ripple canyon velvet ", 4) + "ok?",
			"The seed phrase is: [secret:recovery_phrase] ok?"},
		{"bot 123456789:" + fakeKey("AAE", 32), "bot [secret:telegram_token]"},
		{"card 4111 1111 1111 1111 12/27", "card [secret:card] 12/27"},
		{"4111111111111111", "[secret:card]"},
		{"Karte 5555-5555-5555-4444.", "Karte [secret:card]."},
		{"Amex 378282246310005", "Amex [secret:card]"},
		{"IBAN DE89 3704 0044 0532 0130 00, danke", "IBAN [secret:iban], danke"},
		{"GB29NWBK60161331926819", "[secret:iban]"},
		{"two: 4111111111111111 and DE89370400440532013000", "two: [secret:card] and [secret:iban]"},
	} {
		got, n := Mask(c.text)
		if want := strings.Count(c.want, "[secret:"); got != c.want || n != want {
			t.Errorf("Mask(%q) = %q, %d; want %q, %d", c.text, got, n, c.want, want)
		}
		if again, n := Mask(got); n != 0 {
			t.Errorf("Mask(%q) = %q: masks a mask", got, again)
		}
	}
}

func TestMaskLeavesAlone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"id 550e8400-e29b-41d4-a716-446655440000",
		"0197a3c2-7e11-7c31-9b2e-4111111111111111",
		"commit 3f786850e387550fdab836ed7e6dc881de23001b",
		"sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"order 4111111111111112, order #4111111111111111 and AB-4111111111111111",
		"Bestellnummer 1234567890123456",
		"millis 1751299445000, phone +49 170 1234567, 2025-06-30 15:04:05",
		"my password is on the fridge",
		"Mein Passwort ist am Kühlschrank und geheim!",
		"The password is required!",
		"I forgot the password to srv-db01, and the one for nas-2024",
		"I changed my password to something I can remember",
		"The password for access to srv-db01 is with Ana",
		"The password policy is ISO27001",
		"We changed the password manager to Bitwarden2",
		"The password for the wifi is on the back of the router2000",
		"password: required",
		"password: str = None",
		"password = os.Getenv(\"PASSWORD\")",
		"password = sha256(input)",
		"password: $DB_PASSWORD_1",
		"password=${PASS1WORD}",
		"The secret is to listen, and the token is red.",
		"max tokens: 16384",
		"the pin on the map, pin 13 of the board, and a pin number",
		"PIN code: 560001 is an address in Bengaluru? no: Pin 2024-05-01",
		"pass: maybe, pw: none",
		"The seed phrase is written on paper in the safe at home",
		"The phrase is: the quick brown fox jumps over the lazy dog and then some more words follow",
		"well-known state-of-the-art passphrase: something-to-remember",
		"at 12345678:30 it rang",
		"secret santa: 24 December",
		"Bearer of good news arrived yesterday",
		"bearer bonds worth 1000000000000000000000",
		"sk-learn is a library; task-12345678901234567890123456789012345",
		"AKIA is a prefix, AIza too, and so are ghp_ and xoxb-",
		"eyJ is how tokens begin: eyJhbGciOi",
		"-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
		"https://example.com:8080/a@b and mailto:ana@example.com",
		"http://user@host:80/ http://[::1]:80/",
		"DE89 3704 0044 0532 0130 01 has a wrong checksum",
		"FR12 is a road and NO93 a song",
		"Wi-Fi in Room 101: ask at the desk",
		"Das Token ist abgelaufen, Ticket 20250630",
	} {
		if got, n := Mask(text); got != text || n != 0 {
			t.Errorf("Mask(%q) = %q, %d; want it untouched", text, got, n)
		}
	}
}

// TestHoldsKey: a key is found anywhere in a name; what is merely long, a number or an address is a name.
func TestHoldsKey(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"trilith_" + strings.ToUpper(fakeKey("", 26)), "cairn_" + strings.ToUpper(fakeKey("", 26)),
		fakeKey("ghp_", 36), fakeKey("sk-ant-api03-", 90), fakeKey("xoxb-", 40),
		fakeKey("eyJ", 20) + "." + fakeKey("eyJ", 30) + "." + fakeKey("", 40)} {
		for _, name := range []string{key, "user:" + key, "user-" + key, "team/" + key + "/x", "\u00fc" + key, key + " of Ana"} {
			if !HoldsKey(name) {
				t.Errorf("HoldsKey(%q) = false", name)
			}
		}
	}
	for _, name := range []string{"", "ana", "4111111111111111", "DE89370400440532013000", "ana@example.org", "sk-team",
		"github_pat", "01890a5d-ac96-774b-bcce-b302099a8057", strings.Repeat("x7", 120), "eyJ", "password: hunter2"} {
		if HoldsKey(name) {
			t.Errorf("HoldsKey(%q) = true", name)
		}
	}
}
