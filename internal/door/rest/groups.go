package rest

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// group is the base of the operations on one subject: the edge, which they all pass through, and the engine.
type group struct {
	*edge
	engine *engine.Engine
}

// reading returns the engine for a request that only reads: this one, or a standby's that has everything the caller has
// seen. searching says that the request searches by words.
func (s group) reading(ctx context.Context, scope trilith.Scope, searching bool) (*engine.Engine, error) {
	c := callOf(ctx)
	c.reads = true
	return s.engine.Reading(ctx, scope.Tenant, c.after, searching)
}

type (
	memoryRoutes  struct{ group } // storing, finding, listing and counting memories
	sessionRoutes struct{ group } // conversations: consultations, sessions, summaries, interviews
	keyRoutes     struct{ group } // API keys

	// upkeepRoutes are the maintenance operations for the users of a tenant.
	upkeepRoutes struct {
		group
		version string
		tools   func(format string, sets []string) ([]any, error) // nil: Unsupported
		exports turns
	}

	// adminRoutes work on the store as a whole, or on a tenant as a whole.
	adminRoutes struct {
		group
		backup func(ctx context.Context, name string) error // nil: Unsupported
	}

	// signInRoutes let browsers in, which hold no key.
	signInRoutes struct {
		group
		attempts attempts
	}

	// eventRoutes tell what happens, as it happens.
	eventRoutes struct {
		group
		streams streams
	}

	// fileRoutes take files of other programs.
	fileRoutes struct {
		group
		importer Importer // nil: Unsupported
		turns    turns
		media    turns
	}

	// probes are the pages for operators of the server.
	probes struct {
		group
		listed []Listed
	}
)

func (s *memoryRoutes) register(api huma.API) {
	s.registerStats(api)
}

func (s *sessionRoutes) register(api huma.API) {
	s.registerConsult(api)
	s.registerSessions(api)
}

func (s *upkeepRoutes) register(api huma.API) {
	s.registerMe(api)
	s.registerTransfer(api)
	s.registerTools(api)
}
