package main

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"os/exec"
	"runtime"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/page"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// answerTime is how long a server on this machine may take to answer.
const answerTime = 2 * time.Second

type uiCmd struct {
	Addr   string `help:"Address that trilith serve listens on; where nobody listens, this command does." default:"127.0.0.1:7700"`
	NoOpen bool   `help:"Print the link, and open no browser."`
}

// Run prints a link that signs a browser in once. The link is created in the store, so it works with any process that
// serves or owns the memory. If none serves, this one does until it is told to end.
func (c *uiCmd) Run(ctx context.Context, a *app) error {
	if page.New() == nil {
		return trilith.Errorf(trilith.Unsupported, "this program was built without the page (tag no_ui)")
	}
	if listens(ctx, c.Addr) {
		return a.with(ctx, func(m *opened) error { return a.showPage(ctx, m, c.Addr, !c.NoOpen) })
	}
	serve := serveCmd{Addr: c.Addr, MaxBody: rest.DefaultMaxBody, Extract: "auto",
		ready: func(ctx context.Context, m *opened, addr net.Addr) error {
			return a.showPage(ctx, m, addr.String(), !c.NoOpen)
		}}
	return serve.Run(ctx, a)
}

// listens reports whether a server listens on an address.
func listens(ctx context.Context, addr string) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+reachable(addr)+"/healthz", http.NoBody)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close() // nothing of it is read
	return res.StatusCode == http.StatusOK
}

// reachable returns an address to call for one to listen on: loopback for one that means all interfaces.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// showPage prints the address of the page, and tries to open a browser there. If keys are needed the link contains a
// token, after the # that browsers do not send to servers.
func (a *app) showPage(ctx context.Context, m *opened, addr string, openIt bool) error {
	keys, err := m.HasKeys(ctx)
	if err != nil {
		return err
	}
	link := "http://" + reachable(addr) + page.Prefix
	if keys {
		token, err := m.SignInLink(ctx, a.Tenant)
		if err != nil {
			return err
		}
		link += "sign-in#" + token
	}
	a.out.linef("%s", link)
	if keys {
		a.out.linef("%s", a.out.dim("The link works once, within a minute."))
	}
	if openIt && a.out.terminal {
		openBrowser(link)
	}
	return nil
}

// openBrowser asks the system to show a page. Where it has no browser, the link that was printed is enough.
func openBrowser(link string) {
	command, args := "xdg-open", []string{link}
	switch runtime.GOOS {
	case "darwin":
		command = "open"
	case "windows":
		command, args = "rundll32", []string{"url.dll,FileProtocolHandler", link}
	}
	cmd := exec.Command(command, args...)
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}
