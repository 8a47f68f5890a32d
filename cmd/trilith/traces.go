package main

import (
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/trace"
)

// traceFlags are those of commands that answer requests.
type traceFlags struct {
	Traces string `help:"Address of an OpenTelemetry collector that is sent what requests spend their time on, such as http://127.0.0.1:4318; or env, which takes that of OTEL_EXPORTER_OTLP_ENDPOINT. Without it nothing is recorded." placeholder:"URL"`
}

// otlpEndpoint is the usual variable for the address of a collector, which trilith reads if the setting says so.
const otlpEndpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"

// start starts tracing, if a setting says so, until the returned function is called.
func (f *traceFlags) start(a *app) (end func(), err error) {
	endpoint := f.Traces
	switch endpoint {
	case "":
		return func() {}, nil
	case "env":
		if endpoint = a.getenv(otlpEndpoint); endpoint == "" {
			return nil, trilith.Errorf(trilith.Invalid, "traces: env takes the address of %s, which is not set", otlpEndpoint)
		}
	}
	a.tracer, err = trace.New(trace.Options{Endpoint: endpoint, Version: version, Logger: a.logger()})
	if err != nil {
		return nil, err
	}
	return a.tracer.Close, nil
}
