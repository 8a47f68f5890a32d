package alerts

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// JobWebhook begins the kind of the jobs that hand alerts to a webhook, whose name follows: only a process whose
// settings name it does them.
const JobWebhook = "webhook:"

// deliveryAttempts is how often a receiver that does not answer is asked before the job is dead. The pauses grow to ten
// minutes, so that is some hours.
const deliveryAttempts = 40

// DeliverJob hands the alerts of a search to its webhook, from a place on.
type DeliverJob struct {
	Search trilith.ID `json:"search"`
	From   int64      `json:"from"`
}

// Kinds are the kinds of jobs of the webhooks that the settings of this process name.
func (a *Alerts) Kinds() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(a.c.Webhooks)) {
		out = append(out, JobWebhook+name)
	}
	return out
}

// sendSoon adds jobs that send the raised alerts, from the first ones of each search. A waiting job sends them too, and is
// put again as it is, because it may be done by the time of the commit. A running job may have missed them, and a dead one
// has failed: each is replaced by a job that begins where the old one did.
func (l *look) sendSoon(ctx context.Context) error {
	if len(l.send) == 0 {
		return nil
	}
	first := map[trilith.ID]DeliverJob{} // by job
	for search, from := range l.send {
		first[jobID(search)] = DeliverJob{search, from}
	}
	ids := slices.Sorted(maps.Keys(first))
	found, err := l.a.truth.Queue.Jobs(ctx, truth.TenantOf(l.s), trilith.JobListing{IDs: ids})
	if err != nil {
		return err
	}
	for _, j := range found {
		p := first[j.ID]
		if j.State == trilith.JobReady && j.LeasedUntil == nil && j.Kind == l.jobKind(p.Search) {
			delete(first, j.ID)
			l.batch.DropJobs, l.batch.Jobs = append(l.batch.DropJobs, j.ID), append(l.batch.Jobs, j)
			continue
		}
		var was DeliverJob
		if err := truth.DecodeJob(j, &was); err == nil && j.State != trilith.JobDone {
			first[j.ID] = DeliverJob{p.Search, min(p.From, was.From)}
		}
		l.batch.DropJobs = append(l.batch.DropJobs, j.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(first)) {
		j, err := l.a.truth.Job(l.jobKind(first[id].Search), first[id])
		if err != nil {
			return err
		}
		j.ID, j.MaxAttempts = id, deliveryAttempts
		l.batch.Jobs = append(l.batch.Jobs, j)
	}
	return nil
}

// jobKind is the kind of the job that sends the alerts of a search.
func (l *look) jobKind(search trilith.ID) string { return JobWebhook + l.set.of[search].Webhook }

// jobID is the id of the one job of a search, so that its alerts are sent in order.
func jobID(search trilith.ID) trilith.ID { return trilith.DeriveID("webhook", string(search)) }

// message is the form of an alert for a webhook: ids and numbers. The receiver needs a key to read the content.
type message struct {
	Type  string        `json:"type"` // alert
	Alert trilith.Alert `json:"alert"`
	Name  string        `json:"search"` // the name of the search
}

// Deliver sends the alerts of a search that its webhook has not accepted, in order, until there are none. The first one
// that is not accepted ends it, so alerts are never sent out of order. An alert that was accepted just before the
// program ended is sent again, under the same id.
func (a *Alerts) Deliver(ctx context.Context, tenant string, p DeliverJob) error {
	s := trilith.Scope{Tenant: tenant, Actor: "webhook"}
	q, there, err := a.read(ctx, s, p.Search)
	if err != nil || !there || q.Webhook == "" {
		return err // the search is gone, or has no webhook any more
	}
	to := a.c.Webhooks[q.Webhook]
	if to == nil {
		return trilith.Errorf(trilith.Invalid, "webhook: no setting names %.64q", q.Webhook)
	}
	for from := p.From; ; {
		r, err := a.undelivered(ctx, s, q.ID, from)
		if err != nil || r.ID == "" {
			return err
		}
		body, err := json.Marshal(message{"alert", r.alert, q.Name})
		if err != nil {
			return trilith.WrapError(trilith.Internal, "alerts.Deliver", err)
		}
		if err := to.Send(ctx, r.alert.ID, body); err != nil {
			return err
		}
		if err := a.delivered(context.WithoutCancel(ctx), s, r.ID); err != nil {
			return err
		}
		from = r.alert.Seq
	}
}

// undelivered returns the first alert of a search from a place on that its webhook has not taken, without an id if there
// is none.
func (a *Alerts) undelivered(ctx context.Context, s trilith.Scope, search trilith.ID, from int64) (row, error) {
	for r, err := range a.after(ctx, s, max(from-1, 0)) {
		if err != nil || r.alert.Search == search && r.alert.DeliveredAt == nil {
			return r, err
		}
	}
	return row{}, nil
}

// delivered notes that a webhook has taken an alert. One that was deleted meanwhile needs no note.
func (a *Alerts) delivered(ctx context.Context, s trilith.Scope, place trilith.ID) error {
	return a.looking(ctx, s, func(l *look) error {
		rs, err := a.truth.RecordsOf(ctx, s, role.RecordAlert, place)
		if err != nil || len(rs) == 0 {
			return err
		}
		al, err := truth.Decode[trilith.Alert](rs[0])
		if err != nil {
			return err
		}
		al.DeliveredAt = &l.now
		return l.batch.Replace(rs[0].Kind, rs[0].ID, rs[0].Version, al)
	})
}
